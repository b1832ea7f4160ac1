import { createHash, createHmac } from 'node:crypto';
import type { ClaimedEndpoint, Delivery, WebhookQueue } from '../../domain/event.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PostOutcome, WebhookPost } from './post.ts';

/**
 * What is due for one endpoint: one customer's events one after the other, those of several at once. After a failure
 * nothing new is begun, and one that has failed before is tried with one event alone.
 */
export async function deliverDue(deps: ServeDeps, endpoint: ClaimedEndpoint): Promise<void> {
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

/**
 * When a delivery that has failed so often is tried again: after 5 seconds, 20, 80, five minutes, … at most eight hours. The
 * spread differs between endpoints, and is the same for the events of one: those that failed one after the other come
 * back in that order.
 */
function toRetryPause(endpointId: string, attempts: number): number {
  const pause = Math.min(FIRST_RETRY_MS * 4 ** Math.min(attempts - 1, 20), LONGEST_RETRY_MS);
  return Math.round(pause * toSpread(`${endpointId} ${attempts}`));
}

/** For how long an endpoint that has failed so often in a row is left alone. One bad event is not the endpoint's fault. */
function toEndpointPause({ endpointId, failures, status, retryAfterMs }: Failed): number {
  const grown = Math.min(1_000 * 2 ** Math.min(failures - PATIENCE, 20), LONGEST_PAUSE_MS);
  const own = failures < PATIENCE ? 0 : grown * toSpread(`${endpointId} ${failures}`);
  const slowed = status !== undefined && SLOW_DOWN.has(status) ? SLOWED_MS : 0;
  const asked = Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS);
  return Math.round(Math.max(own, slowed, asked));
}

/** From 0.8 to 1.2. */
function toSpread(text: string): number {
  return 0.8 + (createHash('sha256').update(text).digest().readUInt16BE() / 0xffff) * 0.4;
}

/** From here on it is the endpoint that fails, and not an event. */
const PATIENCE = 4;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 8 * 60 * 60_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
const LONGEST_ASKED_MS = 60 * 60_000;
const SLOW_DOWN = new Set([429, 502, 504]);
const SLOWED_MS = 30_000;

/** Signed anew at each attempt, because its time is signed. Two secrets sign while one takes the other's place. */
export function toWebhookHeaders({ delivery, secrets, wall }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(wall / 1_000));
  const content = `${delivery.eventId}.${timestamp}.${delivery.body}`;
  return {
    'content-type': 'application/json',
    'user-agent': 'Crossbook',
    'webhook-id': delivery.eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret, content)}`).join(' '),
  };
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return createHmac('sha256', key).update(content, 'utf8').digest('base64');
}

const PREFIX = 'whsec_';

export type AttemptResult = 'delivered' | 'failed' | 'gone';

interface ServeDeps {
  readonly queue: WebhookQueue;
  readonly post: WebhookPost;
  readonly clock: Pick<Clock, 'wall'>;
  /** Nothing new is begun then. */
  isOver(): boolean;
  onAttempt(result: AttemptResult): void;
}

interface Failed {
  readonly endpointId: string;
  /** In a row, with this one. */
  readonly failures: number;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

interface Signed {
  readonly delivery: Pick<Delivery, 'eventId' | 'body'>;
  readonly secrets: readonly string[];
  /** Of this attempt. */
  readonly wall: number;
}
