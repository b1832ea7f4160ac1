import pg from 'pg';
import { type SyncErrorCode, SyncFailure } from '../domain/sync.ts';
import { quote } from '../lib/text.ts';
import { NotReady, UnreadableResponse } from './client.ts';
import { isOwnColumn } from './table.ts';

/**
 * Translates an error of the driver. Its text is never used, because PostgreSQL quotes values of rows, and a driver the
 * password. Undefined: not an error of the destination, but a bug.
 */
export function toSyncFailure(thrown: unknown, place: Place): SyncFailure | undefined {
  if (thrown instanceof SyncFailure) return thrown;
  if (!(thrown instanceof Error)) return undefined;
  const { code = '', column, routine } = thrown as DriverError;
  // The server chose it.
  const known = CODE.test(code) ? code : '';
  const error = { thrown, code: known, routine };
  const translation = TRANSLATIONS.find(([matches]) => matches(error));
  if (!translation) return undefined;
  const [, kind, detail] = translation;
  const cause = known === '' ? 'no code' : known;
  return new SyncFailure(kind, fill(detail, { ...place, column, code: known, thrown }), { cause });
}

function fill(detail: string, { column, code, thrown, ...place }: Filled): string {
  const { host, port, schema = '', table } = place;
  const values: Readonly<Record<string, string>> = {
    server: `the server at ${host}:${port}`,
    host,
    database: quote(place.database),
    user: quote(place.user),
    schema: quote(schema),
    table:
      table === undefined ? 'a table' : `the table ${quote(table)} in the schema ${quote(schema)}`,
    // A name that the server chose may be the password that it was sent.
    column:
      column !== undefined && isOwnColumn(column) ? `the column ${quote(column)}` : 'a column',
    code: code || 'unknown',
    problem: thrown instanceof UnreadableResponse ? thrown.message : '',
  };
  const filled = detail.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return `${filled.charAt(0).toUpperCase()}${filled.slice(1)}`;
}

interface Filled extends Place {
  readonly column: string | undefined;
  readonly code: string;
  readonly thrown: Error;
}

/** An error of the database by its SQLSTATE, or by the beginning of it, which is its class. */
const sqlState =
  (start: string): Matches =>
  ({ code }) =>
    SQLSTATE.test(code) && code.startsWith(start);
const isA =
  (type: abstract new (...values: never) => Error): Matches =>
  ({ thrown }) =>
    thrown instanceof type;
const nodeCode =
  (pattern: RegExp): Matches =>
  ({ code }) =>
    pattern.test(code);
const message =
  (pattern: RegExp): Matches =>
  ({ thrown }) =>
    pattern.test(thrown.message);

/** A SQLSTATE, or a code of Node. */
const CODE = /^[0-9A-Z_]{5,64}$/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Every error of a destination, in words of ours: the first entry that matches applies. */
const TRANSLATIONS: readonly Translation[] = [
  // The user and the database.
  [
    sqlState('28'),
    'DESTINATION_REFUSED',
    'The server refused the user or the password: set the destination again.',
  ],
  [
    message(/password must be a string|^SASL/),
    'DESTINATION_REFUSED',
    'The server refused the user or the password: set the destination again.',
  ],
  [
    sqlState('3D000'),
    'DESTINATION_REFUSED',
    'There is no database {database} on the server: create it, or set the destination again.',
  ],
  [
    ({ code, routine }) => code === '42501' && routine === 'ExecWithCheckOptions',
    'DESTINATION_REFUSED',
    'Row level security of {table} does not let the user {user} write a row: give the user the attribute BYPASSRLS, or disable row level security of the table.',
  ],
  [
    sqlState('42501'),
    'DESTINATION_REFUSED',
    'The user {user} may not write {table}: grant USAGE and CREATE on the schema {schema}, and ownership of the table.',
  ],

  // The state of the database.
  [
    sqlState('25006'),
    'DESTINATION_READ_ONLY',
    'The database {database} is read-only: connect to the primary server, or end its read-only mode.',
  ],
  [sqlState('53100'), 'DESTINATION_FULL', 'The disk of {server} is full: free or add space.'],
  [
    sqlState('53300'),
    'DESTINATION_FULL',
    'The server has no connections left for the user {user}: raise max_connections or the limit of the user.',
  ],
  [
    sqlState('53'),
    'DESTINATION_FULL',
    '{server} does not have enough resources (SQLSTATE {code}).',
  ],
  [
    sqlState('57014'),
    'DESTINATION_SLOW',
    'A statement on {table} took longer than 30 s: look for locks, slow triggers and load of the server.',
  ],
  [
    sqlState('55P03'),
    'DESTINATION_SLOW',
    '{table} is locked by another session for more than 10 s: end that session, or wait for it.',
  ],
  [
    sqlState('40'),
    'DESTINATION_SLOW',
    'The database rolled back a transaction on {table} because of another one (SQLSTATE {code}).',
  ],

  // The schema and the table.
  [
    sqlState('3F000'),
    'DESTINATION_TABLE',
    'The schema {schema} does not exist: create it, or choose another one.',
  ],
  [sqlState('42P01'), 'DESTINATION_TABLE', '{table} no longer exists. The next run creates it.'],
  [
    sqlState('42P10'),
    'DESTINATION_TABLE',
    '{table} has no unique key on application_id, provider_name, customer_id and id: restore it, or rename the table.',
  ],
  [sqlState('42703'), 'DESTINATION_TABLE', 'A column of {table} is missing. The next run adds it.'],
  [
    sqlState('23502'),
    'DESTINATION_TABLE',
    '{column} of {table} must not be null and has no default: give it a default, or let it be null.',
  ],
  [
    sqlState('23'),
    'DESTINATION_TABLE',
    'A row violates a constraint of {table}: drop the constraint.',
  ],
  [
    ({ code }) => code === '22P05' || code === '22021',
    'DESTINATION_TABLE',
    'The database {database} is not encoded in UTF-8, and cannot store a character of a record: create a database with the encoding UTF8.',
  ],
  [
    sqlState('22'),
    'DESTINATION_TABLE',
    'A value does not fit a column of {table}, whose type was changed: change it back to the type that the documentation lists.',
  ],
  [
    sqlState('0A000'),
    'DESTINATION_TABLE',
    '{table} has a rule (CREATE RULE), which changes what statements do: drop the rule.',
  ],

  // The connection.
  [
    nodeCode(/^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/),
    'DESTINATION_REFUSED',
    'The TLS certificate of {host} cannot be verified ({code}). If your own certificate authority issued it, set caCertificate.',
  ],
  [
    nodeCode(/^ERR_O?SSL_/),
    'DESTINATION_REFUSED',
    'The TLS handshake with {host} failed ({code}): the server must offer TLS 1.2 or later with elliptic curves, and caCertificate must be valid.',
  ],
  [
    message(/does not support SSL/),
    'DESTINATION_REFUSED',
    'The server does not offer TLS, which is required.',
  ],
  [isA(UnreadableResponse), 'DESTINATION_UNREACHABLE', '{server} {problem}, and was disconnected.'],
  [
    ({ thrown }) => thrown instanceof NotReady && thrown.isConnected,
    'DESTINATION_SLOW',
    '{server} accepts connections, but was not ready for statements within 10 s: look at its load.',
  ],
  [
    message(/^Query read timeout$/),
    'DESTINATION_SLOW',
    '{server} did not respond to a statement in time: look at its load and at the network.',
  ],
  [
    sqlState('57'),
    'DESTINATION_UNREACHABLE',
    '{server} ended the connection (SQLSTATE {code}). The next run connects again.',
  ],
  [
    sqlState('08'),
    'DESTINATION_UNREACHABLE',
    'The connection to {server} broke (SQLSTATE {code}). The next run connects again.',
  ],
  [
    ({ thrown, code }) =>
      thrown instanceof NotReady ||
      /^E[A-Z]+$/.test(code) ||
      /connection terminated|timeout|client (?:was closed|has encountered)|not queryable/i.test(
        thrown.message,
      ),
    'DESTINATION_UNREACHABLE',
    '{server} cannot be reached, or ended the connection: check the address, the network and the firewall.',
  ],

  // What is left are errors of the database.
  [
    ({ thrown, code }) => thrown instanceof pg.DatabaseError || SQLSTATE.test(code),
    'DESTINATION_TABLE',
    'The database refused a statement on {table} (SQLSTATE {code}).',
  ],
];

type Translation = readonly [matches: Matches, kind: SyncErrorCode, detail: string];

type Matches = (error: {
  readonly thrown: Error;
  readonly code: string;
  readonly routine: string | undefined;
}) => boolean;

interface DriverError extends Error {
  readonly code?: string;
  readonly column?: string;
  /** The function of PostgreSQL that has thrown it. */
  readonly routine?: string;
}

export interface Place {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
}
