import { DrizzleQueryError } from 'drizzle-orm/errors';
import { CrossbookError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { ProtocolError } from '../../lib/postgres-messages.ts';

/**
 * The server could not be reached, or did not accept this client: a wrong password, a missing database, no free
 * connection. No statement was sent.
 */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
  override readonly cause: Error;

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause : new Error(String(cause));
    super(reason.message);
    this.cause = reason;
  }
}

/**
 * Classifies a database error and whether it may be retried. Driver errors stay inside, because their messages and
 * details quote parameters and rows, which are secrets and personal data.
 */
export function classifyError(thrown: unknown): Failure {
  const failure = thrown instanceof DrizzleQueryError ? thrown.cause : thrown;
  if (!(failure instanceof Error)) return { repeat: 'never', error: thrown };
  if (failure instanceof ConnectError) return away(failure, 'always');
  const code = codeOf(failure);
  if (NEVER_EXECUTED.has(code) || isRowLocked(failure) || NO_CONNECTION.test(failure.message))
    return away(failure, 'always');
  if (failure instanceof ProtocolError || LOST.has(code) || code.startsWith('08'))
    return away(failure, 'reads');
  if (LOST_MESSAGE.test(failure.message)) return away(failure, 'reads');
  if (UNUSABLE.test(code)) return away(failure, 'never');
  if (UNSTORABLE.has(code)) return { repeat: 'never', error: unstorable() };
  return { repeat: 'never', error: SQL_STATE.test(code) ? refused(failure, code) : failure };
}

export function unstorable(): CrossbookError {
  return new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    'A text is too long, or holds a character that cannot be stored.',
  );
}

function away(cause: Error, repeat: Failure['repeat']): Failure {
  return { repeat, error: toUnavailable(cause) };
}

/** A new error instance per request. */
export function toUnavailable(failure: unknown): CrossbookError {
  const cause = failure instanceof ConnectError ? failure.cause : failure;
  return new CrossbookError('SERVICE_UNAVAILABLE', 'The database is unavailable at the moment.', {
    cause,
    retryAfterMs: 1_000,
  });
}

/** Whether other callers get the same error while the database is unavailable. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof CrossbookError && error.code === 'SERVICE_UNAVAILABLE';
}

/** Most likely a bug. Messages of class 22 quote values. */
function refused(failure: Error, code: string): Error {
  const reason = code.startsWith('22') ? 'a value does not fit' : failure.message;
  return new Error(`The database refused a statement (${code}): ${reason}`);
}

/** Whether it timed out on a table lock, which affects all statements on that table. */
export function isTableLocked(thrown: unknown): boolean {
  return thrown instanceof Error && codeOf(thrown) === LOCK_TIMEOUT && !namesRow(thrown);
}

/** Whether a later attempt may get the lock. */
export function isLockedOut(thrown: unknown): boolean {
  return thrown instanceof Error && [LOCK_TIMEOUT, DEADLOCK].includes(codeOf(thrown));
}

/**
 * Whether it timed out on a row lock, which is held until commit: longer than the timeout where the disk is slow, or
 * in a deadlock.
 */
function isRowLocked(failure: Error): boolean {
  return codeOf(failure) === LOCK_TIMEOUT && namesRow(failure);
}

function namesRow(failure: Error): boolean {
  return 'where' in failure && typeof failure.where === 'string' && ROW.test(failure.where);
}

function codeOf(failure: Error): string {
  return 'code' in failure && typeof failure.code === 'string' ? failure.code : '';
}

const TOO_MANY_CONNECTIONS = '53300';
const DEADLOCK = '40P01';
const SQL_STATE = /^[0-9A-Z]{5}$/;

const NEVER_EXECUTED = new Set([
  '40001', // serialization failure
  DEADLOCK, // this transaction was aborted, the other continues
  '25006', // read-only: the primary has become a replica
  TOO_MANY_CONNECTIONS, // from a pooler, which has accepted the client before
  '57P03', // starting up, or shutting down
]);
/** The pool's own timeouts. */
const NO_CONNECTION = /^timeout exceeded when trying to connect|due to connection timeout/;

const LOST = new Set([
  '57P01',
  '57P02',
  '57P04',
  '57P05',
  '25P03',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
]);
const LOST_MESSAGE =
  /^Connection terminated|^Client (was closed|has encountered)|^Query read timeout|^Cannot use a pool after|^Received unexpected/;

const LOCK_TIMEOUT = '55P03';
/**
 * What the server or its operator has to change, and what retrying would make worse: a table lock, the statement
 * timeout, no memory or disk space, a broken file or index, a missing privilege (28, 42501), a missing database.
 */
const UNUSABLE = /^(55P03|57014|42501|3D000|(28|53|58|F0|XX)[0-9A-Z]{3})$/;
/**
 * When PostgreSQL waits for a row, the error context names its position in any language: `while locking tuple (0,1)
 * in …`.
 */
const ROW = /\(\d+,\d+\)/;

/** NUL in text or JSON, or an oversized index entry. */
const UNSTORABLE = new Set(['22021', '22P05', '54000']);

/** Reports why the database is unavailable (full disk, server gone), once a minute per reason. */
export function createOutageReports(
  onOutage: OnOutage,
  { now }: Pick<Clock, 'now'>,
): (error: unknown) => never {
  const reported = new Map<string, number>();
  return (error) => {
    if (isUnavailable(error) && error instanceof Error && error.cause instanceof Error) {
      const { cause } = error;
      const code = 'code' in cause ? String(cause.code) : '';
      const last = reported.get(code) ?? Number.NEGATIVE_INFINITY;
      if (now() - last >= OUTAGE_REPORT_EVERY_MS) {
        reported.set(code, now());
        // Errors of these classes concern the server and quote neither parameters nor rows.
        onOutage({ code, reason: cause.message });
      }
    }
    throw error;
  };
}

const OUTAGE_REPORT_EVERY_MS = 60_000;

/** Whether the server refuses another connection because it has as many as it allows. */
export function hasTooManyConnections(failure: unknown): boolean {
  return failure instanceof ConnectError && codeOf(failure.cause) === TOO_MANY_CONNECTIONS;
}

export interface Failure {
  /** `always`: nothing was executed. `reads`: the statement may have been executed. */
  readonly repeat: 'always' | 'reads' | 'never';
  /** The error that may leave the storage. */
  readonly error: unknown;
}

export type OnOutage = (outage: { readonly code: string; readonly reason: string }) => void;
