import { isUtf8 } from 'node:buffer';
import type { Application, Caller } from '../domain/caller.ts';
import type { Connection } from '../domain/connection.ts';
import type { ContactOrigin } from '../domain/contact.ts';
import {
  type ContactTarget,
  type ResolvedTarget,
  toContactOrigin,
} from '../domain/contact-search.ts';
import { MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Tracer } from '../domain/log.ts';
import type { ContactAccess, ContactPort, Providers } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';

/** Opens a client for a customer's contacts from a caller, a customer and a provider. */
export async function openContactClient(
  deps: OpenDeps,
  target: ContactTarget,
): Promise<ContactClient> {
  const resolved = resolveTarget(deps, target);
  const access = deps.providers.get(resolved.provider)?.contacts;
  if (!access) {
    throw new CrossbookError(
      'NOT_IMPLEMENTED',
      `The contacts of ${resolved.provider} cannot be searched.`,
    );
  }
  const connection = await deps.loadConnection(resolved);
  if (!connection) throw customerNotFound(resolved.customerId, resolved.provider);
  return {
    source: toContactOrigin(connection),
    connection,
    access,
    port: deps.openContactPort(connection, access),
  };
}

/** Resolves the customer id and authorizes the caller for it. A customer token implies its customer. */
export function resolveCustomerId(deps: TargetDeps, customerId: string | null | undefined): string {
  const caller = deps.requireCaller();
  const resolved =
    customerId ?? readUtf8Header(deps.defaults.customerId) ?? caller.customer?.customerId;
  if (!resolved) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'Name the customer: with the header x-customer-id, or with the argument for it.',
    );
  }
  if (caller.customer && caller.customer.customerId !== resolved) {
    throw new CrossbookError('FORBIDDEN', 'This token is for another customer.');
  }
  checkCustomerId(resolved);
  return resolved;
}

/** Rejects an id that is too long for any customer before it is loaded: one long text may stand in many places. */
export function checkCustomerId(customerId: string): void {
  if (customerId.length > MAX_CUSTOMER_ID_LENGTH) throw customerNotFound(customerId);
}

function resolveTarget(deps: OpenDeps, target: ContactTarget): ResolvedTarget {
  const customerId = resolveCustomerId(deps, target.customerId);
  const provider = target.provider ?? readProviderName(deps);
  const allowed = deps.requireCaller().customer?.providers;
  if (allowed && !allowed.includes(provider)) {
    throw new CrossbookError('FORBIDDEN', `This token is not for the provider ${provider}.`);
  }
  return { customerId, provider };
}

function readProviderName({ defaults, providers }: OpenDeps): ProviderName {
  const name = defaults.provider as ProviderName | undefined;
  if (!name) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'Name the provider: with the header x-provider-name, or with the argument for it.',
    );
  }
  if (providers.has(name)) return name;
  const names = [...providers.keys()].join(', ');
  throw new CrossbookError(
    'BAD_REQUEST',
    `The header x-provider-name names no provider. They are ${names}.`,
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

/** Requires an API key, for changes of data and operations on the whole application. */
export function requireApiKey(deps: Pick<CallerDeps, 'requireCaller'>): Application {
  const { application, customer } = deps.requireCaller();
  if (!customer) return application;
  throw new CrossbookError(
    'FORBIDDEN',
    'This takes an API key: a customer token only reads its customer, and that customer’s contacts and links.',
  );
}

export function customerNotFound(customerId: string, provider?: ProviderName): CrossbookError {
  const quoted = JSON.stringify(customerId.slice(0, MAX_CUSTOMER_ID_LENGTH));
  const connected = provider === undefined ? '' : ` with a connection to ${provider}`;
  return new CrossbookError('NOT_FOUND', `There is no customer ${quoted}${connected}.`);
}

/** Decodes a header as UTF-8: Node reads it as Latin-1, but clients send other letters in UTF-8. */
export function readUtf8Header(value: string | undefined): string | undefined {
  if (value === undefined || !BEYOND_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

const BEYOND_ASCII = /[\x80-\xff]/;

export interface ContactClient {
  readonly source: ContactOrigin;
  readonly connection: Connection;
  readonly access: ContactAccess;
  readonly port: ContactPort;
}

export interface OpenDeps extends TargetDeps {
  readonly providers: Providers;
  /** Scoped to the caller's application. */
  loadConnection(target: ResolvedTarget): Promise<Connection | undefined>;
  openContactPort(connection: Connection, access: ContactAccess): ContactPort;
}

export interface TargetDeps extends CallerDeps {
  readonly defaults: {
    readonly customerId: string | undefined;
    readonly provider: string | undefined;
  };
}

/** Dependencies of nearly every use case. */
export interface CallerDeps extends Tracer {
  /** Throws UNAUTHORIZED without an authenticated caller: every access to data calls this. */
  requireCaller(): Caller;
}
