import { DEFAULT_TOKEN_SECONDS, MAX_TOKEN_SECONDS, type TokenRequest } from '../domain/caller.ts';
import { type Credentials, MAX_SECRET_LENGTH } from '../domain/connection.ts';
import {
  type ConnectionUpsert,
  type Customer,
  type CustomerStore,
  type CustomerUpsert,
  MAX_CUSTOMER_ID_LENGTH,
} from '../domain/customer.ts';
import { isEmail } from '../domain/email.ts';
import { CrossbookError, type Mistakes, refuseMistakes } from '../domain/errors.ts';
import { isExpectedVersion } from '../domain/expected-version.ts';
import type { Providers } from '../domain/provider.ts';
import { PROVIDER_NAMES, PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { includesAllowed, inOrder, toAllowedRecords } from '../domain/record-access.ts';
import type { RemovalStore, RemovedConnection, Revocation } from '../domain/tenant.ts';
import type { CheckedUrl } from '../domain/urls.ts';
import { isRfc3339, isStorableJson, isVisibleAscii, quote } from '../lib/text.ts';
import { type CallerDeps, checkCustomerId, customerNotFound, withApiKey } from './authorization.ts';

/** Upserts a customer and its connections in one transaction. */
export function upsertCustomer(deps: UpsertDeps, upsert: CustomerUpsert) {
  return withApiKey(deps, 'upsertCustomer', async () => {
    const valid = validateCustomerUpsert(deps, upsert);
    await checkDecidedAccess(deps, valid);
    const upserted = await deps.customers.upsert(valid);
    deps.invalidateCustomer(upserted.customer);
    return upserted;
  });
}

const MAX_NAME_LENGTH = 500;
const MAX_CONFIG_BYTES = 64 * 1024;

/**
 * Validates what types cannot express. Reports all mistakes at once, a sentence each, in words that fit GraphQL's names
 * of fields and REST's; returns the upsert with normalized email and URLs.
 */
function validateCustomerUpsert(rules: UpsertRules, upsert: CustomerUpsert): CustomerUpsert {
  if (upsert.connections && upsert.connections.length > PROVIDER_NAMES.length) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `connections has more than ${PROVIDER_NAMES.length} entries.`,
    );
  }
  const email = upsert.email.trim();
  const connections = upsert.connections?.map((connection) => cleanInstanceUrl(rules, connection));
  refuseMistakes([
    ...findTextMistakes(upsert.customerId, 'The customer id', MAX_CUSTOMER_ID_LENGTH),
    ...findUnnameable(upsert.customerId),
    ...findTextMistakes(upsert.name, 'The name', MAX_NAME_LENGTH),
    !isEmail(email) && 'The email must be an address such as ada@example.com',
    !isExpectedVersion(upsert.expectedVersion) &&
      'The expected version must be a whole number from 0',
    ...findRepeated(upsert.connections ?? []),
    ...(connections ?? []).flatMap((cleaned, index) =>
      findConnectionMistakes(cleaned, `connections[${index}]`),
    ),
  ]);
  return {
    ...upsert,
    email,
    ...(connections && { connections: connections.map(({ connection }) => toOrdered(connection)) }),
  };
}

function toOrdered(connection: ConnectionUpsert): ConnectionUpsert {
  const { records } = connection;
  return records ? { ...connection, records: inOrder(records) } : connection;
}

/** What a customer has allowed by a connect link is only extended by another link, whose page says so. */
async function checkDecidedAccess(
  { customers }: Pick<UpsertDeps, 'customers'>,
  { customerId, connections = [] }: CustomerUpsert,
): Promise<void> {
  const given = connections.filter(
    ({ records, access, credentials }) =>
      (records !== undefined || access !== undefined) && credentials === undefined,
  );
  if (given.length === 0) return;
  const [stored] = await customers.findMany([customerId], { withConfigurations: false });
  refuseMistakes(
    given.map(({ providerName, records, access }) => {
      const known = stored?.connections.find((one) => one.providerName === providerName);
      if (!known?.account) return false;
      const requested = toAllowedRecords({
        records: records ?? known.readableRecords,
        access: access ?? (known.writableRecords.length > 0 ? 'READ_WRITE' : 'READ'),
      });
      return (
        !(includesAllowed(known, requested) && includesAllowed(requested, known)) &&
        `The customer has allowed the access of the connection to ${PROVIDER_TITLES[providerName]} by a connect link: create another link with \`records\` and \`access\` to extend it`
      );
    }),
  );
}

function cleanInstanceUrl(rules: UpsertRules, connection: ConnectionUpsert): CleanedConnection {
  const { instanceUrl, providerName } = connection;
  if (instanceUrl === undefined || instanceUrl === null) return { connection };
  const { instanceHosts = [], instanceUrlHint } = rules.providers.get(providerName) ?? {};
  const checked = rules.checkInstanceUrl(instanceUrl, instanceHosts);
  if ('problem' in checked) {
    const remedy = instanceUrlHint ? `; enter ${instanceUrlHint}` : '';
    return { connection, problem: checked.problem + remedy };
  }
  return { connection: { ...connection, instanceUrl: checked.url } };
}

function findConnectionMistakes(
  { connection, problem }: CleanedConnection,
  path: string,
): Mistakes {
  const { providerName, instanceUrl, credentials, records, access, ...configs } = connection;
  const config = JSON.stringify(configs);
  return [
    problem !== undefined &&
      `${path}: the instance URL is not an address of ${PROVIDER_TITLES[providerName]}: ${problem}`,
    Buffer.byteLength(config) > MAX_CONFIG_BYTES &&
      `${path} has more than ${MAX_CONFIG_BYTES / 1024} KiB of configuration`,
    !isStorableJson(config) && `${path} contains U+0000 or half of a surrogate pair`,
    records?.length === 0 && `${path} has an empty list of records: name at least one type`,
    ...(credentials ? findCredentialMistakes(credentials, `${path}.credentials`) : []),
  ];
}

function findCredentialMistakes(credentials: Credentials, path: string): Mistakes {
  const expiresAt = credentials.type === 'oauth2' ? credentials.expiresAt : null;
  const secrets =
    credentials.type === 'token'
      ? { token: credentials.value }
      : { 'access token': credentials.accessToken, 'refresh token': credentials.refreshToken };
  const undated = expiresAt ? !isRfc3339(expiresAt) : false;
  return [
    ...Object.entries(secrets).flatMap(([name, secret]) =>
      findSecretMistakes(secret, `${path}: the ${name}`),
    ),
    undated && `${path}: the expiry is not an RFC 3339 time, such as 2025-01-31T09:30:00Z`,
  ];
}

/** A value that is invalid in a header cannot be a token. The value is never repeated in the error. */
function findSecretMistakes(secret: string | null, path: string): Mistakes {
  if (secret === null) return [];
  return [
    secret === '' && `${path} is empty`,
    secret.length > MAX_SECRET_LENGTH && `${path} is longer than ${MAX_SECRET_LENGTH} characters`,
    secret !== '' &&
      !isVisibleAscii(secret) &&
      `${path} has characters that a token cannot have, such as a space`,
  ];
}

/** Rejects ids with surrounding spaces, which headers lose, and dots, which paths lose. */
function findUnnameable(customerId: string): Mistakes {
  const isPadded = customerId.trim() !== customerId && customerId.trim() !== '';
  return [
    isPadded && 'The customer id begins or ends with a space',
    /^\.{1,2}$/.test(customerId) && 'The customer id must not be "." or ".."',
  ];
}

function findRepeated(connections: readonly ConnectionUpsert[]): Mistakes {
  const names = connections.map(({ providerName }) => providerName);
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => `The connections contain the provider ${name} more than once`);
}

function findTextMistakes(value: string, path: string, longest: number): Mistakes {
  return [
    value.trim() === '' && `${path} is empty`,
    value.length > longest && `${path} is longer than ${longest} characters`,
    /\p{Cc}/u.test(value) && `${path} contains control characters`,
    /\p{Cs}/u.test(value) && `${path} contains half of a surrogate pair`,
  ];
}

/** Deletes a customer with all its data, and revokes its grants at the providers unless other connections use them. */
export function deleteCustomer(
  deps: RemovalDeps,
  { customerId, expectedVersion, deleteSyncedRows = true }: Deletion,
) {
  return withApiKey(deps, 'deleteCustomer', async () => {
    checkCustomerId(customerId);
    const removed = await deps.removals.removeCustomer(customerId, expectedVersion, {
      deleteSyncedRows,
    });
    if (!removed) throw customerNotFound(customerId);
    // Revocations run in the background; the log and the metrics have their results.
    for (const one of removed) void deps.revoke(one);
    await deps.waitUntilUncached(customerId, removed);
  });
}

/**
 * Removes a connection with its credentials and cached contacts, and revokes the grant at the provider unless another
 * connection uses it. The connection is removed even if the provider is down.
 */
export function disconnectProvider(deps: DisconnectDeps, { customerId, provider }: Disconnection) {
  return withApiKey(deps, 'disconnectProvider', async () => {
    checkCustomerId(customerId);
    const removed = await deps.removals.removeConnection(customerId, provider);
    if (!removed) throw customerNotFound(customerId, provider);
    const revoked = deps.revoke(removed);
    await deps.waitUntilUncached(customerId, [removed]);
    const customer = await deps.loadCustomer(customerId);
    if (customer) return { customer, revocation: await revoked };
    throw new CrossbookError(
      'NOT_FOUND',
      `The customer ${quote(customerId)} was deleted in the meantime.`,
    );
  });
}

/**
 * Issues a short-lived token for the frontend of ONE customer, which can read only this customer and its records, and
 * change these where it was issued with `canWrite`.
 */
export function issueCustomerToken(deps: IssueTokenDeps, input: IssueTokenInput) {
  return withApiKey(deps, 'issueCustomerToken', async () => {
    const { customerId } = input;
    checkCustomerId(customerId);
    const seconds = input.expiresInSeconds ?? DEFAULT_TOKEN_SECONDS;
    if (!Number.isInteger(seconds) || seconds < 1 || seconds > MAX_TOKEN_SECONDS) {
      throw new CrossbookError(
        'BAD_REQUEST',
        `The lifetime of a token must be from 1 to ${MAX_TOKEN_SECONDS} seconds.`,
      );
    }
    const expiresAt = new Date(deps.wall() + seconds * 1_000);
    // Tokens have a resolution of one second.
    expiresAt.setUTCMilliseconds(0);
    const providers = input.providers ? [...new Set(input.providers)] : undefined;
    const { canList, canWrite } = input;
    const scope = {
      customerId,
      providers,
      ...(canList && { canList }),
      ...(canWrite && { canWrite }),
    };
    const token = await deps.signToken({ ...scope, expiresAt });
    if (token === undefined) throw customerNotFound(customerId);
    return { token, expiresAt: expiresAt.toISOString() };
  });
}

export interface UpsertDeps extends CallerDeps, UpsertRules {
  readonly customers: Pick<CustomerStore, 'upsert' | 'findMany'>;
  /** Clears what this request and this process have cached for the customer. */
  invalidateCustomer(customer: Customer): void;
}

interface CleanedConnection {
  readonly connection: ConnectionUpsert;
  readonly problem?: string;
}

interface UpsertRules {
  readonly providers: Providers;
  /** Checks the host, including the hosts of this installation's sandbox. */
  checkInstanceUrl(url: string, hosts: readonly RegExp[]): CheckedUrl;
}

interface Deletion {
  readonly customerId: string;
  /** Absent: any version. */
  readonly expectedVersion?: number | undefined;
  /** Absent: true. */
  readonly deleteSyncedRows?: boolean | undefined;
}

interface Disconnection {
  readonly customerId: string;
  readonly provider: ProviderName;
}

/** What this and the deletion of a customer need of the request. */
interface RemovalDeps extends CallerDeps {
  readonly removals: RemovalStore;
  /** Never rejects, and continues in the background if the request ends early. */
  revoke(removed: RemovedConnection): Promise<Revocation>;
  /** Resolves when no process can serve the removed data from its cache any more. */
  waitUntilUncached(customerId: string, removed: readonly RemovedConnection[]): Promise<void>;
}

export interface DisconnectDeps extends RemovalDeps {
  loadCustomer(customerId: string): Promise<Customer | undefined>;
}

interface IssueTokenInput {
  readonly customerId: string;
  /** Absent: an hour. */
  readonly expiresInSeconds?: number | null | undefined;
  /** Absent: all of the customer's providers. */
  readonly providers?: readonly ProviderName[] | null | undefined;
  /** Absent: false. */
  readonly canList?: boolean | null | undefined;
  /** Absent: false. */
  readonly canWrite?: boolean | null | undefined;
}

export interface IssueTokenDeps extends CallerDeps {
  wall(): number;
  /** Undefined if the caller's application has no such customer. */
  signToken(request: TokenRequest): Promise<string | undefined>;
}
