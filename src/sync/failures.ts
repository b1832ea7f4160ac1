import pg from 'pg';
import { type SyncErrorCode, SyncFailure } from '../domain/sync.ts';
import { quote } from '../lib/text.ts';
import { UnreadableResponse } from './client.ts';
import { isOwnColumn } from './table.ts';

/**
 * Translates an error of the driver. Its text is never used, because PostgreSQL quotes values of rows, and a driver the
 * password. Undefined: not an error of the destination, but a bug.
 */
export function toSyncFailure(thrown: unknown, place: Place): SyncFailure | undefined {
  if (thrown instanceof SyncFailure) return thrown;
  if (!(thrown instanceof Error)) return undefined;
  const { code: given, column } = thrown as DriverError;
  // The server chose it.
  const code = given !== undefined && CODE.test(given) ? given : '';
  const table = place.table === undefined ? 'a table' : `the table ${quote(place.table)}`;
  // A name that the server chose may be the password that it was sent.
  const named = column !== undefined && isOwnColumn(column) ? ` (column ${quote(column)})` : '';
  const fail = (kind: SyncErrorCode, detail: string) =>
    new SyncFailure(kind, detail, { cause: toCause(code) });
  const known = KNOWN.get(code) ?? KNOWN.get(code.slice(0, 2));
  if (known) {
    const [kind, detail] = known;
    return fail(
      kind,
      detail
        .replace('{schema}', quote(place.schema ?? ''))
        .replace('{table}', `${table}${named}`)
        .replace('{database}', quote(place.database))
        .replace('{user}', quote(place.user))
        .replace('{code}', code),
    );
  }
  if (TLS.test(code)) {
    return fail(
      'DESTINATION_REFUSED',
      `The TLS certificate of ${place.host} cannot be verified (${code}). If your own certificate authority issued it, set caCertificate.`,
    );
  }
  if (thrown instanceof UnreadableResponse) {
    return fail(
      'DESTINATION_UNREACHABLE',
      `The server at ${place.host}:${place.port} ${thrown.message}, and was disconnected.`,
    );
  }
  if (thrown.message.includes('does not support SSL'))
    return fail('DESTINATION_REFUSED', 'The server does not offer TLS, which is required.');
  if (thrown.message.includes('password must be a string') || thrown.message.startsWith('SASL'))
    return fail('DESTINATION_REFUSED', 'The server refused the user or the password.');
  if (NETWORK.test(code) || BROKEN.test(thrown.message)) {
    return fail(
      'DESTINATION_UNREACHABLE',
      `The server at ${place.host}:${place.port} cannot be reached, or ended the connection.`,
    );
  }
  if (HANDSHAKE.test(code)) {
    return fail(
      'DESTINATION_REFUSED',
      `The TLS handshake with ${place.host} failed (${code}): the server must offer TLS 1.2 or later with elliptic curves, and caCertificate must be valid.`,
    );
  }
  return thrown instanceof pg.DatabaseError || SQLSTATE.test(code)
    ? fail(
        'DESTINATION_TABLE',
        `The database refused a statement on ${table} (SQLSTATE ${code || 'unknown'}).`,
      )
    : undefined;
}

/** By SQLSTATE, or by its class. */
const KNOWN: ReadonlyMap<string, readonly [SyncErrorCode, string]> = new Map(
  Object.entries<readonly [SyncErrorCode, string]>({
    '28': ['DESTINATION_REFUSED', 'The server refused the user or the password.'],
    '3D000': ['DESTINATION_REFUSED', 'There is no database {database} on the server.'],
    '3F000': [
      'DESTINATION_TABLE',
      'The schema {schema} does not exist: create it, or choose another one.',
    ],
    '42501': [
      'DESTINATION_REFUSED',
      'The user {user} may not write {table} in the schema {schema}: grant USAGE and CREATE on the schema, and ownership of the table.',
    ],
    '25006': ['DESTINATION_READ_ONLY', 'The database is read-only.'],
    '53100': ['DESTINATION_FULL', 'The disk of the database is full.'],
    '53300': ['DESTINATION_FULL', 'The server has no connections left for this user.'],
    '53': ['DESTINATION_FULL', 'The database does not have enough resources (SQLSTATE {code}).'],
    '57014': ['DESTINATION_SLOW', 'A statement took too long.'],
    '55P03': ['DESTINATION_SLOW', '{table} is locked by another session.'],
    '40': ['DESTINATION_SLOW', 'A transaction was rolled back by the database (SQLSTATE {code}).'],
    '57': ['DESTINATION_UNREACHABLE', 'The server ended the connection.'],
    '08': ['DESTINATION_UNREACHABLE', 'The connection to the server broke.'],
    '42P01': ['DESTINATION_TABLE', '{table} no longer exists. The next run creates it.'],
    '42P10': [
      'DESTINATION_TABLE',
      '{table} has no unique key on application_id, provider_name, customer_id and id: restore it, or rename the table.',
    ],
    '42809': ['DESTINATION_TABLE', '{table} is not a table: rename it, or choose another name.'],
    '23502': [
      'DESTINATION_TABLE',
      '{table} has a column that must not be null and has no default.',
    ],
    '23': ['DESTINATION_TABLE', 'A row violates a constraint of {table}.'],
    '22': ['DESTINATION_TABLE', 'A value does not fit a column of {table}: its type was changed.'],
    '42804': [
      'DESTINATION_TABLE',
      'A column of {table} has a different type than it was created with.',
    ],
    '42703': ['DESTINATION_TABLE', 'A column of {table} is missing. The next run adds it.'],
    '42': ['DESTINATION_TABLE', 'The database refused a statement on {table} (SQLSTATE {code}).'],
  }),
);

/** A SQLSTATE, or a code of Node. */
const CODE = /^[0-9A-Z_]{5,64}$/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
const HANDSHAKE = /^ERR_O?SSL_/;
const TLS = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;
const NETWORK = /^E[A-Z]+$/;
const BROKEN = /connection terminated|timeout|client (?:was closed|has encountered)|not queryable/i;

function toCause(code: string): string {
  return code === '' ? 'no code' : code;
}

interface DriverError extends Error {
  readonly code?: string;
  readonly column?: string;
}

export interface Place {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
}
