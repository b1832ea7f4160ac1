import type { Journal, ProviderCall } from '../domain/journal.ts';
import type { ExchangeCode } from '../usecases/finish-authorization.ts';

/**
 * Exchanges of codes, which wait for a vendor. One that waits gives its place to others, and there is a bound to how many
 * wait. Whoever closes the window meanwhile has granted all the same: what comes of it is kept.
 */
export function createVendorWaits(exchange: ObservedExchange): VendorWaits {
  let waiting = 0;
  return {
    isFull: () => waiting >= MAX_WAITING,
    begin: (journal) => async (given) => {
      waiting += 1;
      const resume = journal.permit.pause();
      try {
        return await exchange({ ...given, onCall: (call) => journal.called(call) });
      } finally {
        waiting -= 1;
        await Promise.resolve()
          .then(resume)
          .catch(() => undefined);
      }
    },
  };
}

const MAX_WAITING = 200;

export interface VendorWaits {
  isFull(): boolean;
  begin(journal: Pick<Journal, 'permit' | 'called'>): ExchangeCode;
}

type ObservedExchange = (
  exchange: Parameters<ExchangeCode>[0] & { readonly onCall: (call: ProviderCall) => void },
) => ReturnType<ExchangeCode>;
