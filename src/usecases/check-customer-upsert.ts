import type { Credentials } from '../domain/connection.ts';
import type { ConnectionUpsert, CustomerUpsert } from '../domain/customer.ts';
import { isEmail } from '../domain/email.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';

const MAX_ID_LENGTH = 255;
const MAX_NAME_LENGTH = 500;
const MAX_SECRET_LENGTH = 16_384;
const MAX_CONFIG_BYTES = 64 * 1024;

/** What no type can say. Every mistake is reported at once; the answer is the upsert with its email and URLs cleaned. */
export function checkCustomerUpsert(rules: UpsertRules, upsert: CustomerUpsert): CustomerUpsert {
  const mistakes: string[] = [];
  const email = upsert.email.trim();
  checkText(upsert.customerId, 'customer_id', MAX_ID_LENGTH, mistakes);
  checkText(upsert.name, 'name', MAX_NAME_LENGTH, mistakes);
  if (!isEmail(email)) mistakes.push('email is not an email address');
  const version = upsert.expectedVersion;
  if (version !== undefined && !(Number.isInteger(version) && version >= 0)) {
    mistakes.push('expected_version is not a whole number from 0 on');
  }
  const connections = upsert.connections?.map((connection, index) =>
    checkConnection(rules, connection, `connections[${index}]`, mistakes),
  );
  checkUnique(connections ?? [], mistakes);
  if (mistakes.length > 0) throw new CrossbookError('UNPROCESSABLE_ENTITY', `${mistakes.join('; ')}.`);
  return { ...upsert, email, ...(connections && { connections }) };
}

function checkConnection(
  rules: UpsertRules,
  connection: ConnectionUpsert,
  path: string,
  mistakes: string[],
): ConnectionUpsert {
  const { providerName, instanceUrl, credentials, ...configs } = connection;
  checkConfigs(configs, path, mistakes);
  if (credentials) checkCredentials(credentials, `${path}.credentials`, mistakes);
  if (instanceUrl === undefined || instanceUrl === null) return connection;
  const provider = rules.providers.get(providerName);
  const checked = rules.checkInstanceUrl(instanceUrl, provider?.instanceHosts ?? []);
  if ('problem' in checked) {
    mistakes.push(`${path}.instance_url is not an address of ${providerName}: ${checked.problem}`);
    return connection;
  }
  return { ...connection, instanceUrl: checked.url };
}

function checkConfigs(configs: object, path: string, mistakes: string[]): void {
  const text = JSON.stringify(configs);
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    mistakes.push(`${path} has more than ${MAX_CONFIG_BYTES / 1024} KiB of configuration`);
  }
  // PostgreSQL cannot keep U+0000, neither as text nor in JSON.
  if (text.includes('\\u0000')) mistakes.push(`${path} contains the character U+0000`);
}

function checkCredentials(credentials: Credentials, path: string, mistakes: string[]): void {
  const secrets =
    credentials.type === 'token'
      ? [credentials.value]
      : [credentials.accessToken, ...(credentials.refreshToken === null ? [] : [credentials.refreshToken])];
  // What could not stand in a header cannot be a token. The value itself is never repeated.
  if (!secrets.every((secret) => secret.length <= MAX_SECRET_LENGTH && /^[\x21-\x7e]+$/.test(secret))) {
    mistakes.push(`${path} holds a token that is empty, too long, or has characters that no token has`);
  }
  if (
    credentials.type === 'oauth2' &&
    credentials.expiresAt &&
    Number.isNaN(Date.parse(credentials.expiresAt))
  ) {
    mistakes.push(`${path}.expires_at is not a timestamp`);
  }
}

function checkUnique(connections: readonly ConnectionUpsert[], mistakes: string[]): void {
  const names = connections.map(({ providerName }) => providerName);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  for (const name of twice) mistakes.push(`connections names the provider ${name} more than once`);
}

function checkText(value: string, path: string, longest: number, mistakes: string[]): void {
  if (value.trim() === '') mistakes.push(`${path} is empty`);
  if (value.length > longest) mistakes.push(`${path} is longer than ${longest} characters`);
  if (/\p{Cc}/u.test(value)) mistakes.push(`${path} contains control characters`);
}

export interface UpsertRules {
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  /** The host rules, with the hosts of this installation's sandbox known. */
  checkInstanceUrl(
    url: string,
    hosts: readonly RegExp[],
  ): { readonly url: string } | { readonly problem: string };
}
