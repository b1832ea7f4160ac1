import type { ClaimedEndpoint, Delivery, WebhookQueue } from '../../domain/webhook-queue.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PostOutcome, WebhookPost } from './post.ts';
import { PATIENCE, toEndpointPause, toRetryPause } from './schedule.ts';
import { toWebhookHeaders } from './to-headers.ts';

/**
 * What is due for one endpoint: one customer's events one after the other, those of several at once. After a failure
 * nothing new is begun, and one that has failed before is tried with one event alone.
 */
export async function serveEndpoint(deps: ServeDeps, endpoint: ClaimedEndpoint): Promise<void> {
  let { failures } = endpoint;
  const isHealthy = () => failures === 0 && !deps.isOver();
  const due = await deps.queue.read(endpoint.id, failures > 0 ? 1 : BATCH);
  const [first] = due;
  if (failures > 0) {
    if (first && !deps.isOver()) await attempt(first);
    return;
  }
  const queues = toQueues(due);
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  async function work(): Promise<void> {
    for (let queue = queues.shift(); queue && isHealthy(); queue = queues.shift()) {
      for (const delivery of queue) if (isHealthy()) await attempt(delivery);
    }
  }

  async function attempt(delivery: Delivery): Promise<void> {
    const { wall } = deps.clock;
    const headers = toWebhookHeaders({ delivery, secrets: endpoint.secrets, wall: wall() });
    const outcome: PostOutcome =
      endpoint.secrets.length > 0
        ? await deps.post.send({ url: endpoint.url, headers, body: delivery.body })
        : { kind: 'failed', reason: 'its secret cannot be opened: a key is missing in the key ring' };
    if (outcome.kind === 'stopped') return;
    if (outcome.kind === 'arrived') {
      await deps.queue.succeed(delivery, endpoint.failures >= PATIENCE);
      deps.onAttempt('delivered');
      return;
    }
    failures += 1;
    const { reason, status, retryAfterMs } = outcome;
    const isGone = status === 410;
    await deps.queue.fail(delivery, {
      ...{ reason, isGone },
      retryAfterMs: toRetryPause(endpoint.id, delivery.attempts + 1),
      pauseMs: toEndpointPause({ endpointId: endpoint.id, failures, status, retryAfterMs }),
    });
    deps.onAttempt(isGone ? 'gone' : 'failed');
  }
}

function toQueues(due: readonly Delivery[]): Delivery[][] {
  const queues = new Map<string, Delivery[]>();
  for (const delivery of due) {
    const queue = queues.get(delivery.customerId);
    if (queue) queue.push(delivery);
    else queues.set(delivery.customerId, [delivery]);
  }
  return [...queues.values()];
}

const BATCH = 200;
/** To one endpoint. */
const AT_ONCE = 4;

export type AttemptResult = 'delivered' | 'failed' | 'gone';

interface ServeDeps {
  readonly queue: WebhookQueue;
  readonly post: WebhookPost;
  readonly clock: Pick<Clock, 'wall'>;
  /** Nothing new is begun then. */
  isOver(): boolean;
  onAttempt(result: AttemptResult): void;
}
