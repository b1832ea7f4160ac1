import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';

/**
 * Who calls? Undefined where nothing was presented: the schema may be asked about without a key, data may not. What is
 * presented and wrong is refused at once.
 */
export function readCaller(
  { headers, address }: CallerHeaders,
  deps: Deps,
): Promise<Caller | undefined> | Caller | undefined {
  const key = headers.get('x-api-key');
  const authorization = headers.get('authorization');
  if (key !== null && authorization !== null) {
    throw new CrossbookError('BAD_REQUEST', 'Send x-api-key or Authorization, not both.');
  }
  if (key !== null) return requireCaller(deps.findCallerByKey(key, address), 'The API key is not valid.');
  if (authorization === null) return undefined;
  const token = /^Bearer +([A-Za-z0-9._-]+)$/i.exec(authorization)?.[1];
  if (!token) return refuse('The Authorization header must be: Bearer, a space, and a customer token.');
  return requireCaller(deps.findCallerByToken(token), 'The customer token is not valid, or no longer.');
}

/** What is known at once is answered at once: nothing waits for a promise. */
function requireCaller(found: MaybePromise<Caller | undefined>, detail: string): MaybePromise<Caller> {
  if (found instanceof Promise) return found.then((caller) => caller ?? refuse(detail));
  return found ?? refuse(detail);
}

function refuse(detail: string): never {
  throw new CrossbookError('UNAUTHORIZED', detail);
}

export interface HeaderReader {
  get(name: string): string | null;
}

interface CallerHeaders {
  readonly headers: HeaderReader;
  /** Where it comes from. */
  readonly address?: string | undefined;
}

type MaybePromise<T> = T | Promise<T>;

interface Deps {
  findCallerByKey(key: string, address: string | undefined): MaybePromise<Caller | undefined>;
  findCallerByToken(token: string): MaybePromise<Caller | undefined>;
}
