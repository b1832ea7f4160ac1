import { BACKGROUND_WORK } from './admission/work.ts';
import { WRITE_TIMES, type WriteTimes } from './domain/writing.ts';
import type { Foundation } from './foundation.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { SettleWritesDeps } from './usecases/settle-writes.ts';

/** Part of the composition root: the job that finds out what became of writes. */
export function toSettleDeps(
  { database, providers, clock, log }: Foundation,
  { outbound, writeTimes = WRITE_TIMES, isStopping }: SettleOptions,
): SettleWritesDeps {
  return {
    queue: database.writeQueue,
    writeTimes,
    storeOf: ({ applicationId }) => database.forApplication(applicationId).writes,
    wall: clock.wall,
    isStopping,
    onError: (cause) => log.warn({ cause }, 'the outcome of a write could not be read; will retry'),
    async openPort({ applicationId, connectionId, customerId, provider }) {
      const { connections, credentials, contactCache } = database.forApplication(applicationId);
      const [connection] = await connections.findMany([{ customerId, providerName: provider }]);
      const access = providers.get(provider)?.crm;
      if (connection?.id !== connectionId || !access) return undefined;
      return outbound.openCrmPort({
        connection,
        access,
        credentials,
        cache: contactCache,
        work: BACKGROUND_WORK,
        isBackground: true,
      });
    },
  };
}

export interface SettleOptions extends Pick<SettleWritesDeps, 'isStopping'> {
  readonly outbound: Pick<Outbound, 'openCrmPort'>;
  readonly writeTimes?: WriteTimes | undefined;
}
