import { randomUUID } from 'node:crypto';
import type { ClaimedEndpoint, WebhookQueue } from '../../domain/event.ts';
import type { Clock } from '../../lib/clock.ts';
import { type AttemptResult, deliverDue } from './deliver.ts';
import { createWebhookPost } from './post.ts';

/**
 * Sends what is due, over connections of its own, for as many endpoints at once as there are places: those that fail have few places of their own, so
 * that they delay no other. A process that dies leaves leases, which end: what it had not recorded is sent once more.
 */
export function openWebhookSender(deps: SenderDeps): WebhookSender {
  const { queue, clock } = deps;
  const post = createWebhookPost(deps);
  const serving = new Set<Promise<void>>();
  const taken = { healthy: 0, failing: 0 };
  let isStopping = false;
  let pumping: Promise<void> | undefined;
  let isAskedAgain = false;

  return {
    pump,
    async stop() {
      isStopping = true;
      const cancel = clock.schedule(PATIENCE_MS, post.stop);
      await pumping;
      await Promise.all(serving);
      cancel();
      await post.close();
    },
  };

  /** Resolves when everything that was due has its place: it may still be under way. */
  function pump(): Promise<void> {
    isAskedAgain = true;
    pumping ??= claimAll().finally(() => {
      pumping = undefined;
    });
    return pumping;
  }

  async function claimAll(): Promise<void> {
    while (isAskedAgain && !isStopping) {
      isAskedAgain = false;
      const healthy = MAX_HEALTHY - taken.healthy;
      const failing = MAX_FAILING - taken.failing;
      if (healthy === 0 && failing === 0) return;
      const lease = randomUUID();
      const claimed = await queue.claim({ lease, leaseMs: LEASE_MS, healthy, failing });
      for (const endpoint of claimed) start(endpoint, lease);
    }
  }

  function start(endpoint: ClaimedEndpoint, lease: string): void {
    const kind = endpoint.failures > 0 ? 'failing' : 'healthy';
    taken[kind] += 1;
    const served = serve(endpoint, lease).finally(() => {
      taken[kind] -= 1;
      serving.delete(served);
      // There may be more for it, or for one that found no place.
      if (!isStopping) pump().catch(deps.onError);
    });
    serving.add(served);
  }

  async function serve(endpoint: ClaimedEndpoint, lease: string): Promise<void> {
    try {
      const until = clock.now() + LEASE_MS / 2;
      await deliverDue({ ...deps, post, isOver: () => isStopping || clock.now() >= until }, endpoint);
    } catch (error) {
      deps.onError(error);
    } finally {
      await queue.release(endpoint.id, lease).catch(deps.onError);
    }
  }
}

/** Half of it is for sending; an attempt that began then has ended before its end. */
const LEASE_MS = 60_000;
const MAX_HEALTHY = 64;
const MAX_FAILING = 16;
/** At a stop: what is under way may finish. */
const PATIENCE_MS = 5_000;

export interface WebhookSender {
  pump(): Promise<void>;
  stop(): Promise<void>;
}

interface SenderDeps {
  readonly queue: WebhookQueue;
  readonly clock: Clock;
  readonly mayLoopback: boolean;
  onAttempt(result: AttemptResult): void;
  onError(error: unknown): void;
}
