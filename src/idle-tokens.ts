import { randomUUID } from 'node:crypto';
import type { Provider } from './domain/provider.ts';
import type { ProviderName } from './domain/provider-names.ts';
import { type PeriodicTask, type PeriodicTaskOptions, runPeriodically } from './lib/background.ts';
import type { Clock } from './lib/clock.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { Database } from './storage/database.ts';
import { type RenewDeps, renewIdleTokens } from './usecases/renew-idle-tokens.ts';

/** The job that keeps refresh tokens alive which no search uses. Every process looks once a minute whether it is its turn. */
export function keepIdleTokensAlive(options: IdleTokenOptions): PeriodicTask {
  const deps = toRenewDeps(options);
  let isStopping = false;
  const repeated = runPeriodically({
    intervalMs: EVERY_MS,
    work: () => renewIdleTokens({ ...deps, isStopping: () => isStopping }),
    onError: options.onError,
  });
  return {
    stop() {
      isStopping = true;
      return repeated.stop();
    },
  };
}

export function toRenewDeps(options: Omit<IdleTokenOptions, 'onError'>): Omit<RenewDeps, 'isStopping'> {
  const { database, outbound, providers, clock, onRenewed } = options;
  const searchable = [...providers.values()].flatMap(({ name, contacts }) => (contacts ? [name] : []));
  return {
    idle: database.idleCredentials,
    holder: randomUUID(),
    providers: searchable,
    wall: clock.wall,
    pause: (ms) => new Promise((resolve) => clock.schedule(ms, resolve)),
    onRenewed,
    async renewToken({ applicationId, customerId, providerName, connectionId, generation }) {
      const { connections, credentials } = database.forApplication(applicationId);
      const [connection] = await connections.findMany([{ customerId, providerName }]);
      const access = providers.get(providerName)?.contacts;
      if (connection?.id !== connectionId || !access) return 'used';
      return outbound.renewToken({ connection, access, credentials, generation });
    },
  };
}

const EVERY_MS = 60_000;

interface IdleTokenOptions extends Pick<PeriodicTaskOptions, 'onError'>, Pick<RenewDeps, 'onRenewed'> {
  readonly database: Pick<Database, 'idleCredentials' | 'forApplication'>;
  readonly outbound: Pick<Outbound, 'renewToken'>;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly clock: Clock;
}
