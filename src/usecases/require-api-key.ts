import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';

/** What concerns the whole application is not for a customer's token. */
export function requireApiKey(deps: Pick<ApiKeyDeps, 'requireCaller'>): Caller {
  const caller = deps.requireCaller();
  if (!caller.customer) return caller;
  throw new CrossbookError('FORBIDDEN', 'A customer token reads its customer: this takes an API key.');
}

export interface ApiKeyDeps {
  requireCaller(): Caller;
}
