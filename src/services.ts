import type { Webhooks } from './background-jobs.ts';
import type { Config } from './config.ts';
import type { ConnectServices } from './domain/connect-link.ts';
import type { Provider } from './domain/provider.ts';
import type { ProviderName } from './domain/provider-names.ts';
import { RESPONSE_BOUNDS } from './domain/resources.ts';
import { checkInstanceUrl } from './domain/urls.ts';
import type { Background, Clock } from './lib/clock.ts';
import type { Limits } from './limits/limits.ts';
import type { Outbound } from './outbound/outbound.ts';
import { type ConnectionCache, REMOVAL_SETTLES_MS } from './request/connection-cache.ts';
import type { CustomerTokens } from './request/customer-token.ts';
import type { Services } from './request/services.ts';
import type { Database } from './storage/database.ts';
import type { KeyRing } from './storage/sealing/key-ring.ts';
import { createCursorSigner, createSigningKeys } from './storage/sealing/seal.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

/** Part of the composition root: what every request's context draws on. */
export function toServices(parts: Parts): Services {
  const { config, providers, keys, database, outbound, background, tokens, limits, clock, webhooks } = parts;
  const { telemetry } = parts;
  return {
    providers,
    cursors: createCursorSigner(createSigningKeys(keys, 'cursor')),
    connections: parts.connections,
    connecting: parts.connecting,
    cacheMaxAgeMs: config.cacheMaxAgeMs,
    responseBounds: {
      ...RESPONSE_BOUNDS,
      caller: { ...RESPONSE_BOUNDS.caller, bytes: config.maxResponseBytes },
    },
    wall: clock.wall,
    now: clock.now,
    untilForgotten: () => new Promise((resolve) => clock.schedule(REMOVAL_SETTLES_MS, resolve)),
    revokeGrant: outbound.revokeGrant,
    onRevoked: telemetry.metrics.revoked,
    runInBackground: background.run,
    checkRateLimit: limits.checkRateLimit,
    charge: limits.charge,
    openTenant: database.forApplication,
    signToken: tokens.sign,
    openContactPort: outbound.openContactPort,
    forgetConnection: outbound.forget,
    checkWebhookUrl: webhooks.checkUrl,
    checkInstanceUrl: (url, hosts) => checkInstanceUrl(url, { hosts, sandboxOrigins: parts.sandboxOrigins }),
  };
}

interface Parts {
  readonly config: Pick<Config, 'cacheMaxAgeMs' | 'maxResponseBytes'>;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly keys: KeyRing;
  readonly database: Database;
  readonly connections: ConnectionCache;
  readonly connecting: ConnectServices;
  /** The imitated CRMs of this installation. */
  readonly sandboxOrigins: readonly string[];
  readonly outbound: Outbound;
  readonly background: Background;
  readonly tokens: CustomerTokens;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly webhooks: Webhooks;
  readonly telemetry: Telemetry;
}
