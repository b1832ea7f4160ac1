import type { WebhookCounts, WebhookQueue } from '../../domain/event.ts';
import { backgroundClock, type Clock } from '../../lib/clock.ts';
import type { openWebhookSender } from './sender.ts';

/**
 * Polls for due deliveries: soon after this process has appended events, and every few seconds for events of other
 * processes and for retries. Loads the sender only when something is due.
 */
export function watchWebhooks(deps: WatchDeps) {
  const { queue, clock } = deps;
  const { schedule = backgroundClock.schedule } = deps;
  let sender: ReturnType<WatchDeps['openSender']> | undefined;
  let hasEndpoints = false;
  let counts: WebhookCounts | undefined;
  let countedAt = Number.NEGATIVE_INFINITY;
  let isOver = false;
  let isSoon = false;
  let isRunning = false;
  let running = Promise.resolve();
  let cancel = schedule(LOOK_MS, poll);
  return {
    /** Polls soon, because events were appended. */
    wake(): void {
      if (isOver || isSoon || !hasEndpoints) return;
      isSoon = true;
      // A running poll schedules the next one at its end: polls never overlap.
      if (isRunning) return;
      cancel();
      cancel = schedule(GATHER_MS, poll);
    },
    /** The counts of some seconds ago; undefined without an endpoint. */
    counts: () => counts,
    async stop(): Promise<void> {
      isOver = true;
      cancel();
      await running;
      await (await sender?.catch(() => undefined))?.stop();
    },
  };

  function poll(): void {
    isSoon = false;
    isRunning = true;
    running = work()
      .catch(deps.onError)
      .then(() => {
        isRunning = false;
        if (!isOver) cancel = schedule(isSoon ? GATHER_MS : LOOK_MS, poll);
      });
  }

  async function work(): Promise<void> {
    const seen = await queue.look();
    hasEndpoints = seen.hasEndpoints;
    if (seen.isDue && hasEndpoints && !isOver) {
      sender ??= deps.openSender();
      await (await sender).pump();
    }
    if (clock.now() - countedAt >= COUNT_MS) {
      countedAt = clock.now();
      counts = hasEndpoints ? await queue.count() : undefined;
    }
  }
}

const LOOK_MS = 3_000;
/** A delay in which appended events are gathered for one poll. */
const GATHER_MS = 50;
const COUNT_MS = 10_000;

interface WatchDeps {
  readonly queue: Pick<WebhookQueue, 'look' | 'count'>;
  readonly clock: Pick<Clock, 'now'>;
  openSender(): Promise<ReturnType<typeof openWebhookSender>>;
  onError(error: unknown): void;
  readonly schedule?: Clock['schedule'];
}
