import type { Application, Caller } from '../domain/caller.ts';
import type { ConnectionTarget } from '../domain/connection.ts';
import { type Customer, MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Tracer } from '../domain/log.ts';
import type { Providers } from '../domain/provider.ts';
import { findProviderName, PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import type { FilterKind, RecordFilter } from '../domain/records/conditions.ts';
import type { RecordTarget } from '../domain/records/record-search.ts';
import { quote } from '../lib/text.ts';

/** Requires an API key, for changes of data and operations on the whole application. */
export function requireApiKey(deps: Pick<CallerDeps, 'requireCaller'>): Application {
  const { application, customer } = deps.requireCaller();
  if (!customer) return application;
  throw new CrossbookError(
    'FORBIDDEN',
    'This requires an API key: a customer token only reads its customer, and that customer’s contacts and links.',
  );
}

/** Runs an operation that requires an API key, as a span of this name. */
export function withApiKey<T>(
  deps: CallerDeps,
  name: string,
  work: (application: Application) => Promise<T>,
): Promise<T> {
  return deps.withSpan(name, async () => work(requireApiKey(deps)));
}

/** The customer and the provider that the caller names, where the caller may read them. */
export function resolveTarget(deps: ProviderDeps, target: RecordTarget): ConnectionTarget {
  const customerId = resolveCustomerId(deps, target.customerId);
  const providerName = target.provider ?? readProviderName(deps);
  if (isForProvider(deps.requireCaller(), providerName)) return { customerId, providerName };
  throw new CrossbookError(
    'FORBIDDEN',
    `This token is not for the provider ${PROVIDER_TITLES[providerName]}.`,
  );
}

/** A customer token may be for some providers only: it shows nothing of connections to others. */
function isForProvider({ customer: token }: Caller, provider: ProviderName): boolean {
  return token?.providers?.includes(provider) ?? true;
}

/** A customer with the connections that the caller may read. */
export function showCustomer(deps: CallerDeps, customer: Customer): Customer {
  const caller = deps.requireCaller();
  const connections = customer.connections.filter(({ providerName }) =>
    isForProvider(caller, providerName),
  );
  return connections.length === customer.connections.length
    ? customer
    : { ...customer, connections };
}

/** Resolves the customer id and authorizes the caller for it. A customer token implies its customer. */
export function resolveCustomerId(deps: TargetDeps, customerId: string | null | undefined): string {
  const caller = deps.requireCaller();
  const resolved = customerId ?? deps.defaults.customerId ?? caller.customer?.customerId;
  if (!resolved) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'The customer is missing: send the header x-customer-id, or the argument `customerId`.',
    );
  }
  if (caller.customer && caller.customer.customerId !== resolved) {
    throw new CrossbookError('FORBIDDEN', 'This token is for another customer.');
  }
  checkCustomerId(resolved);
  return resolved;
}

/** Listing shows records that the caller does not know yet, which the frontend of one customer rarely needs. */
export function checkMayList(
  deps: CallerDeps,
  filters: Pick<FilterKind<never, never>, 'isListing'>,
  filter: RecordFilter,
): void {
  const { customer } = deps.requireCaller();
  if (!customer || customer.canList || !filters.isListing(filter)) return;
  throw new CrossbookError(
    'FORBIDDEN',
    `The filter ${filter.by} requires an API key, or a customer token that was issued with canList: true (by command: tokens create --can-list).`,
  );
}

/** Every function that changes records in a CRM calls this first. An API key may always write. */
export function checkMayWrite(deps: CallerDeps): void {
  const { customer } = deps.requireCaller();
  if (!customer || customer.canWrite) return;
  throw new CrossbookError(
    'FORBIDDEN',
    'Changing records requires an API key, or a customer token that was issued with canWrite (tokens create --can-write).',
  );
}

/** Rejects an id that is too long for any customer before it is loaded: one long text may stand in many places. */
export function checkCustomerId(customerId: string): void {
  if (customerId.length > MAX_CUSTOMER_ID_LENGTH) throw customerNotFound(customerId);
}

export function customerNotFound(customerId: string, provider?: ProviderName): CrossbookError {
  const quoted = quote(customerId);
  return new CrossbookError(
    'NOT_FOUND',
    provider === undefined
      ? `There is no customer ${quoted}.`
      : `The customer ${quoted} does not exist, or has no connection to ${PROVIDER_TITLES[provider]}.`,
  );
}

function readProviderName(deps: ProviderDeps): ProviderName {
  const name = deps.defaults.provider ? readProviderHeader(deps) : undefined;
  if (name) return name;
  throw new CrossbookError(
    'BAD_REQUEST',
    'The provider is missing: send the header x-provider-name, or the argument `provider`.',
  );
}

/** The provider that the header names. Undefined: there is no header. */
export function readProviderHeader({
  defaults,
  providers,
}: Pick<ProviderDeps, 'defaults' | 'providers'>): ProviderName | undefined {
  if (defaults.provider === undefined) return undefined;
  const name = findProviderName(defaults.provider);
  if (name && providers.has(name)) return name;
  const names = [...providers.keys()].join(', ');
  throw new CrossbookError(
    'BAD_REQUEST',
    `The header x-provider-name is not a known provider. Known providers: ${names}.`,
  );
}

/** Dependencies of nearly every use case. */
export interface CallerDeps extends Tracer {
  /** Throws UNAUTHORIZED without an authenticated caller: every access to data calls this. */
  requireCaller(): Caller;
}

export interface TargetDeps extends CallerDeps {
  readonly defaults: {
    readonly customerId: string | undefined;
    readonly provider: string | undefined;
  };
}

interface ProviderDeps extends TargetDeps {
  readonly providers: Providers;
}
