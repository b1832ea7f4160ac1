import type { EventEmitter } from 'node:events';

/** The server cannot be started, for a reason that the caller can do something about. */
export class ChildPostgresError extends Error {
  override readonly name = 'ChildPostgresError';
  readonly code: ChildPostgresErrorCode;

  constructor(code: ChildPostgresErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type ChildPostgresErrorCode =
  /** Another process uses the data directory. */
  | 'IN_USE'
  /** The programs of PostgreSQL are not installed, or do not run on this system. */
  | 'NO_PROGRAMS'
  /** The data directory belongs to another major version of PostgreSQL. */
  | 'OTHER_VERSION'
  /** The data directory belongs to another program. */
  | 'FOREIGN_DATA'
  /** A first start needs a user that has a name. */
  | 'NO_USER_NAME';

/** Attaches a listener for errors where an emitter is constructed, because an `error` event without one ends the process. */
export function withErrorListener<Emitter extends Pick<EventEmitter, 'on'>>(
  emitter: Emitter,
): Emitter {
  emitter.on('error', () => undefined);
  return emitter;
}

/** The message of a thrown value: of an error without a message its code or name. */
export function toReason(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = 'code' in thrown && thrown.code;
  return thrown.message || (code ? String(code) : thrown.name);
}
