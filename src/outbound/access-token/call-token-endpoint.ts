import { type HeldBytes, type HeldOwners, memoryLimitReached } from '../../domain/held-bytes.ts';
import type { ProviderResponse, RemoteRequest } from '../../domain/remote.ts';
import { RemoteFailure } from '../../domain/remote-failure.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ObservedCall } from '../call-events.ts';
import type { Transport } from '../http/transport.ts';
import { withRetries } from '../rate-limiting/retry.ts';
import { FIXED_HEADERS } from '../send-once.ts';
import { resolveOrigin } from './origins.ts';

/** Without a rate limiter: a token endpoint has its own rules, and every call waits for it. */
export async function callTokenEndpoint(
  deps: EndpointDeps,
  { origin, request, onCall }: EndpointCall,
): Promise<ProviderResponse> {
  const { clock, transport } = deps;
  const deadline = clock.now() + deps.deadlineMs;
  const headers = { ...FIXED_HEADERS, ...request.headers };
  const hold = deps.heldBytes.acquire(deps.owners, 'provider_response', 0);
  if (!hold) throw memoryLimitReached();
  return withRetries(
    { clock, random: deps.random, deadline, isRepeatable: request.repeatable !== false, pausedMs: () => 0 },
    () => transport.send({ origin, request, headers, deadline, hold, onCall }),
  ).finally(() => hold.release());
}

/** At the origin that the provider declares, and where that one redirects, at the other one, if it declares any. */
export async function callAtOrigin(
  { origin: originOf, movedOrigin }: TokenOrigins,
  { instanceUrl, hosts, sandboxOrigins }: Instance,
  ask: (origin: string) => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  const origin = resolveOrigin(instanceUrl, { hosts, sandboxOrigins, originOf });
  return ask(origin).catch((error: unknown) => {
    const other = isRedirect(error) ? movedOrigin?.(instanceUrl) : undefined;
    if (other === undefined || sandboxOrigins.includes(origin)) throw error;
    return ask(resolveOrigin(instanceUrl, { hosts, sandboxOrigins, originOf: () => other }));
  });
}

/** Whoever redirects has not used the token. */
function isRedirect(error: unknown): boolean {
  return error instanceof RemoteFailure && error.answer.status >= 300 && error.answer.status < 400;
}

export interface EndpointDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly deadlineMs: number;
  readonly heldBytes: HeldBytes;
  readonly owners: HeldOwners;
  readonly transport: { send(call: ObservedCall): ReturnType<Transport['send']> };
}

interface EndpointCall {
  readonly origin: string;
  readonly request: RemoteRequest;
  readonly onCall?: ObservedCall['onCall'];
}

interface TokenOrigins {
  origin(instanceUrl: string | null): string | undefined;
  movedOrigin?(instanceUrl: string | null): string | undefined;
}

interface Instance {
  readonly instanceUrl: string | null;
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
}
