import { FairShares } from '../admission/fair-shares.ts';
import { CrossbookError, type ErrorCode } from '../domain/errors.ts';

/**
 * Limits the operations that wait for providers: in total, per application and per connection. A request that has begun
 * may have several hundred of them.
 */
export function createOperationLimit(maxWaiting: number) {
  const places = new FairShares(maxWaiting);
  let refused = 0;

  return {
    /** Throws if too many wait. Otherwise call the result once. */
    enter({ application, connection }: Owners): () => void {
      const applicationShare = { owner: application, ratio: 1 };
      const connectionShare = { owner: connection, ratio: 2 / 3 };
      if (!places.mayTake([connectionShare]))
        refuse('REMOTE_PROVIDER_RATE_LIMITED', 'the provider of this connection');
      if (!places.mayTake([applicationShare])) refuse('SERVICE_UNAVAILABLE', 'providers');
      const shares = [applicationShare, connectionShare];
      places.take(shares);
      return () => places.release(shares);
    },
    countOf: (connectionId: string) => places.held.get(connectionId) ?? 0,
    counts: () => ({ waiting: maxWaiting - places.free, refused }),
  };

  function refuse(code: ErrorCode, caller: string): never {
    refused++;
    throw new CrossbookError(code, `Too many operations are waiting for ${caller}: try again.`, {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
}

const RETRY_AFTER_MS = 1_000;

/** Database ids. */
export interface Owners {
  readonly application: string;
  readonly connection: string;
}

export type OperationLimit = ReturnType<typeof createOperationLimit>;
