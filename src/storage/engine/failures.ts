import { DrizzleQueryError } from 'drizzle-orm/errors';
import { CrossbookError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';

/**
 * Classifies a database error and whether it may be retried. Driver errors stay inside, because their messages and
 * details quote parameters and rows, which are secrets and personal data.
 */
export function classifyError(thrown: unknown): Failure {
  const failure = thrown instanceof DrizzleQueryError ? thrown.cause : thrown;
  if (!(failure instanceof Error)) return { repeat: 'never', error: thrown };
  const code = codeOf(failure);
  if (NEVER_EXECUTED.has(code) || isRowLocked(failure) || CONNECT_FAILURE.test(failure.message))
    return away(failure, 'always');
  if (LOST.has(code) || code.startsWith('08') || LOST_MESSAGE.test(failure.message))
    return away(failure, 'reads');
  if (OVERLOADED.test(code) || isOfItsFiles(failure, code)) return away(failure, 'never');
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
export function toUnavailable(cause: unknown): CrossbookError {
  return new CrossbookError('SERVICE_UNAVAILABLE', 'The database cannot answer at the moment.', {
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

/** A read-only file system has the same code as a missing grant, which is a bug of ours. */
function isOfItsFiles({ message }: Error, code: string): boolean {
  return code === '42501' && message.startsWith('could not ');
}

function codeOf(failure: Error): string {
  return 'code' in failure && typeof failure.code === 'string' ? failure.code : '';
}

const SQL_STATE = /^[0-9A-Z]{5}$/;

const NEVER_EXECUTED = new Set([
  '40001', // serialization failure
  '40P01', // deadlock: this transaction was aborted, the other continues
  '25006', // read-only: the primary has become a replica
  '53300', // too many connections
  '55000', // the database does not accept connections, e.g. during maintenance
  '57P03', // starting up, or shutting down
  '08001',
  '08004',
  'ECONNREFUSED',
  'ENOENT', // the embedded server has not opened its socket again yet
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const CONNECT_FAILURE =
  /^timeout (exceeded when trying to connect|expired$)|due to connection timeout/;

const LOST = new Set(['57P01', '57P02', '57P05', '25P03', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
const LOST_MESSAGE =
  /^Connection terminated|^Client (was closed|has encountered)|^Query read timeout|^Cannot use a pool after/;

const LOCK_TIMEOUT = '55P03';
/** Table lock timeout, statement timeout, out of memory, disk full or broken: retrying would make it worse. */
const OVERLOADED = /^(55P03|57014|5[38][0-9A-Z]{3})$/;
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

export interface Failure {
  /** `always`: nothing was executed. `reads`: the statement may have been executed. */
  readonly repeat: 'always' | 'reads' | 'never';
  /** The error that may leave the storage. */
  readonly error: unknown;
}

export type OnOutage = (outage: { readonly code: string; readonly reason: string }) => void;
