import type { Caller } from '../domain/caller.ts';
import type { ContactTarget } from '../domain/contact-search.ts';
import { CrossbookError } from '../domain/errors.ts';
import { isProviderName, type ProviderName } from '../domain/provider-names.ts';
import { readUtf8Header } from '../lib/read-utf8-header.ts';

/** Which customer is meant, and may this caller touch it? A customer token names its customer by itself. */
export function resolveCustomerId(deps: TargetDeps, customerId: string | null | undefined): string {
  const caller = deps.requireCaller();
  const resolved = customerId ?? readUtf8Header(deps.defaults.customerId) ?? caller.customer?.customerId;
  if (!resolved) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'Name the customer: with the header x-customer-id, or with the argument for it.',
    );
  }
  if (caller.customer && caller.customer.customerId !== resolved) {
    throw new CrossbookError('FORBIDDEN', 'This token is for another customer.');
  }
  return resolved;
}

export function resolveTarget(deps: TargetDeps, target: ContactTarget): ResolvedTarget {
  const customerId = resolveCustomerId(deps, target.customerId);
  const provider = target.provider ?? readProviderName(deps.defaults.provider);
  const allowed = deps.requireCaller().customer?.providers;
  if (allowed && !allowed.includes(provider)) {
    throw new CrossbookError('FORBIDDEN', `This token is not for the provider ${provider}.`);
  }
  return { customerId, provider };
}

function readProviderName(name: string | undefined): ProviderName {
  if (!name) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'Name the provider: with the header x-provider-name, or with the argument for it.',
    );
  }
  if (isProviderName(name)) return name;
  throw new CrossbookError('BAD_REQUEST', 'The header x-provider-name does not name one of the providers.');
}

export interface ResolvedTarget {
  readonly customerId: string;
  readonly provider: ProviderName;
}

export interface TargetDeps {
  /** Throws UNAUTHORIZED where nobody was authenticated: every way to data leads through here. */
  requireCaller(): Caller;
  readonly defaults: { readonly customerId: string | undefined; readonly provider: string | undefined };
}
