import type { Connection } from '../domain/connection.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Provider, Providers } from '../domain/provider.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import {
  findMissing,
  type GrantedAccess,
  listScopes,
  type RecordOperation,
} from '../domain/record-access.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import { RECORD_TYPES, type RecordType } from '../domain/records/record-type.ts';

/**
 * What a connection may read and write, by type of record: what was allowed, and what the scopes suffice for. Some
 * providers' scopes allow more than was asked for. They are unknown where the application brought the credentials.
 */
export function readGrantedAccess(
  provider: AccessRules | undefined,
  connection: Connection,
): readonly GrantedAccess[] {
  const known = computed.get(connection);
  if (known) return known;
  const types = RECORD_TYPES.filter((type) => provider?.crm?.records[type] !== undefined);
  const granted = types.map((type) => computeAccess(provider, connection, type));
  computed.set(connection, granted);
  return granted;
}

/** Once for a connection that many requests have cached. */
const computed = new WeakMap<Connection, readonly GrantedAccess[]>();

/** The types of records that a connection may read. */
export function listReadable(
  provider: AccessRules | undefined,
  connection: Connection,
): readonly RecordType[] {
  return readGrantedAccess(provider, connection).flatMap(({ record, canRead }) =>
    canRead ? [record] : [],
  );
}

function computeAccess(
  provider: AccessRules | undefined,
  { readableRecords, writableRecords, grantedScopes }: Connection,
  record: RecordType,
): GrantedAccess {
  const isReadable = readableRecords.includes(record);
  const isWritable = writableRecords.includes(record);
  const scopes = provider?.authorization?.recordScopes[record];
  const missing = (needed: readonly string[] = []) =>
    provider?.authorization && grantedScopes.length > 0
      ? findMissing(provider.authorization, needed, grantedScopes)
      : [];
  const toRead = isReadable ? missing(scopes?.read) : [];
  const toWrite = isWritable ? missing(scopes?.write) : [];
  const canRead = isReadable && toRead.length === 0;
  return {
    record,
    canRead,
    canWrite: isWritable && canRead && toWrite.length === 0,
    missingScopes: [...toRead, ...toWrite],
  };
}

/** Throws FORBIDDEN unless the connection may do this with records of the type. Writers call it before anything is sent. */
export function requireAccess(
  { provider, connection }: AccessedConnection,
  { type, nouns }: Pick<RecordKind<CrmRecord>, 'type' | 'nouns'>,
  operation: RecordOperation,
): void {
  for (const granted of readGrantedAccess(provider, connection)) {
    if (granted.record !== type) continue;
    if (operation === 'read' ? granted.canRead : granted.canWrite) return;
    throw new CrossbookError(
      'FORBIDDEN',
      describeRefusal(connection, { nouns, operation, granted }),
    );
  }
  throw new CrossbookError(
    'NOT_IMPLEMENTED',
    `The ${nouns} of ${PROVIDER_TITLES[connection.providerName]} cannot be read.`,
  );
}

function describeRefusal(
  { providerName, account, readableRecords, writableRecords }: Connection,
  { nouns, operation, granted }: Refusal,
): string {
  const { record, missingScopes } = granted;
  const title = PROVIDER_TITLES[providerName];
  const allowed = operation === 'read' ? readableRecords : writableRecords;
  const access = operation === 'read' ? '' : ', access: READ_WRITE';
  const setting = `records: [${record}]${access}`;
  if (allowed.includes(record)) {
    return `The customer did not grant the scopes that ${operation === 'read' ? 'reading' : 'changing'} the ${nouns} of ${title} needs: ${missingScopes.join(', ')}. Create a connect link with ${setting} for this customer, and set these scopes in your app at ${title}.`;
  }
  const lacking = `The connection to ${title} may not ${operation} ${nouns}`;
  return account === null
    ? `${lacking}: set ${setting} with upsertCustomer, or create a connect link with it.`
    : `${lacking}: create a connect link with ${setting} for this customer, which extends the connection.`;
}

/** The scopes that the access of a connection needs and that its customer did not grant. Empty if they are unknown. */
export function findMissingScopes(providers: Providers, connection: Connection): readonly string[] {
  const authorization = providers.get(connection.providerName)?.authorization;
  if (!authorization || connection.grantedScopes.length === 0) return [];
  const needed = listScopes(authorization, connection);
  return findMissing(authorization, needed, connection.grantedScopes);
}

type AccessRules = Pick<Provider, 'authorization' | 'crm'>;

interface AccessedConnection {
  readonly provider: AccessRules;
  readonly connection: Connection;
}

interface Refusal {
  readonly nouns: string;
  readonly operation: RecordOperation;
  readonly granted: GrantedAccess;
}
