import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';

/**
 * Who calls? Undefined where nothing was presented: the schema may be asked about without a key, data may not. What is
 * presented and wrong is refused at once.
 */
export async function readCaller(headers: HeaderReader, deps: Deps): Promise<Caller | undefined> {
  const key = headers.get('x-api-key');
  const authorization = headers.get('authorization');
  if (key !== null && authorization !== null) {
    throw new CrossbookError('BAD_REQUEST', 'Send x-api-key or Authorization, not both.');
  }
  if (key !== null) return (await deps.findCallerByKey(key)) ?? refuse('The API key is not valid.');
  if (authorization === null) return undefined;
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(authorization)?.[1];
  if (!token) return refuse('The Authorization header must be: Bearer, a space, and a customer token.');
  return (await deps.findCallerByToken(token)) ?? refuse('The customer token is not valid, or no longer.');
}

function refuse(detail: string): never {
  throw new CrossbookError('UNAUTHORIZED', detail);
}

export interface HeaderReader {
  get(name: string): string | null;
}

interface Deps {
  findCallerByKey(key: string): Promise<Caller | undefined> | Caller | undefined;
  findCallerByToken(token: string): Promise<Caller | undefined>;
}
