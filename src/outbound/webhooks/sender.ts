import { createHash, createHmac, randomUUID } from 'node:crypto';
import { FairShares, shareOf } from '../../admission/fair-shares.ts';
import type { ClaimedEndpoint, Delivery, WebhookQueue } from '../../domain/event.ts';
import { backoff } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { openPump } from '../../lib/pump.ts';
import { createWebhookPost, type PostOutcome } from './post.ts';
import { redactResponse } from './redact-response.ts';

/**
 * Sends due webhook deliveries over connections of its own, to many endpoints concurrently, in slots that applications
 * share fairly. Failing endpoints have a few separate slots, so that they delay no others. Leases of a crashed process
 * expire, and deliveries that it had not recorded are sent again (at least once).
 */
export function openWebhookSender(deps: SenderDeps) {
  const { queue, clock } = deps;
  const post = createWebhookPost(deps);
  const slots = { healthy: new FairShares(MAX_HEALTHY), failing: new FairShares(MAX_FAILING) };
  const { pump, start, isStopping, stop } = openPump({ claim, onError: deps.onError });

  return {
    pump,
    async stop() {
      const cancel = clock.schedule(GRACE_MS, post.stop);
      await stop();
      cancel();
      await post.close();
    },
  };

  async function claim(): Promise<void> {
    if (slots.healthy.free === 0 && slots.failing.free === 0) return;
    const lease = randomUUID();
    const claimed = await queue.claim({ lease, leaseMs: LEASE_MS, ...slots });
    for (const endpoint of claimed) {
      const shared = endpoint.failures > 0 ? slots.failing : slots.healthy;
      const shares = shareOf(endpoint.applicationId);
      shared.take(shares);
      start(serve(endpoint, lease).finally(() => shared.release(shares)));
    }
  }

  async function serve(endpoint: ClaimedEndpoint, lease: string): Promise<void> {
    try {
      const until = clock.now() + LEASE_MS / 2;
      await deliverDue(endpoint, () => isStopping() || clock.now() >= until);
    } catch (error) {
      deps.onError(error);
    } finally {
      await queue.release(endpoint, lease).catch(deps.onError);
    }
  }

  /**
   * Delivers what is due for one endpoint: events of one customer in sequence, of several customers concurrently.
   * After a failure no delivery is begun, and an endpoint with failures is tried with a single event. Settles only when
   * all begun attempts have ended, because the lease is released then.
   */
  async function deliverDue(endpoint: ClaimedEndpoint, isOver: () => boolean): Promise<void> {
    let { failures } = endpoint;
    /** Outcomes that could not be recorded. */
    const errors: unknown[] = [];
    const mayBegin = () => failures === endpoint.failures && errors.length === 0 && !isOver();
    const queues = toQueues(await queue.read(endpoint, failures > 0 ? 1 : BATCH));
    await Promise.all(
      Array.from({ length: AT_ONCE }, () => work().catch((error) => errors.push(error))),
    );
    if (errors.length > 0) throw errors[0];

    async function work(): Promise<void> {
      for (let next = queues.shift(); next && mayBegin(); next = queues.shift()) {
        for (const delivery of next) if (mayBegin()) await attempt(delivery);
      }
    }

    async function attempt(delivery: Delivery): Promise<void> {
      const { id, url, secrets } = endpoint;
      const headers = signWebhook({ delivery, secrets, wall: clock.wall() });
      const startedAt = clock.now();
      const outcome: PostOutcome =
        secrets.length > 0
          ? await post.send({ url, headers, body: delivery.body })
          : {
              kind: 'failed',
              reason: 'its secret cannot be opened: a key is missing in the key ring',
            };
      if (outcome.kind === 'stopped') return;
      if (deps.keepsResponses) {
        const { read } = outcome;
        const response = {
          attempt: delivery.attempts + 1,
          status: outcome.status ?? null,
          reason: outcome.kind === 'failed' ? outcome.reason : null,
          body: read ? redactResponse(read, secrets) : null,
          ms: Math.round(clock.now() - startedAt),
        };
        // What operators can look at must not keep the delivery from being recorded.
        await queue.keepResponse(delivery, response).catch(deps.onError);
      }
      if (outcome.kind === 'arrived') {
        await queue.succeed(delivery, endpoint.failures >= PATIENCE);
        deps.onAttempt('delivered');
        return;
      }
      failures += 1;
      const isGone = outcome.status === 410;
      await queue.fail(delivery, {
        reason: outcome.reason,
        isGone,
        retryAfterMs: toRetryPause(id, delivery.attempts + 1),
        pauseMs: toEndpointPause(id, failures, outcome),
      });
      deps.onAttempt(isGone ? 'gone' : 'failed');
    }
  }
}

/** Half of the lease is for starting attempts, so that each one ends before the lease does. */
const LEASE_MS = 60_000;
const MAX_HEALTHY = 128;
const MAX_FAILING = 32;
/** The grace period for running attempts at shutdown. */
const GRACE_MS = 5_000;

interface SenderDeps {
  readonly queue: WebhookQueue;
  readonly clock: Clock;
  readonly mayLoopback: boolean;
  /** Whether responses are stored for the console. */
  readonly keepsResponses: boolean;
  onAttempt(result: 'delivered' | 'failed' | 'gone'): void;
  onError(error: unknown): void;
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

/** Deliveries that an endpoint's slot reads at once, which it holds in memory. */
const BATCH = 100;
/** Concurrent deliveries per endpoint. */
const AT_ONCE = 4;

/**
 * Exponential backoff of a delivery: 5 seconds, 20, 80, five minutes, … at most eight hours. The jitter depends on
 * the endpoint alone, so that its failed events come back in their order.
 */
function toRetryPause(endpointId: string, attempts: number): number {
  const pause = backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS, attempts - 1, 4);
  return Math.round(pause * toSpread(`${endpointId} ${attempts}`));
}

/**
 * Backoff of an endpoint by its consecutive failures and the last outcome. A single bad event is not the endpoint's
 * fault.
 */
function toEndpointPause(
  endpointId: string,
  failures: number,
  { status = 0, retryAfterMs = 0 }: Failed,
): number {
  const grown = backoff(1_000, LONGEST_PAUSE_MS, failures - PATIENCE);
  const own = failures < PATIENCE ? 0 : grown * toSpread(`${endpointId} ${failures}`);
  const slowed = SLOW_DOWN.has(status) ? SLOWED_MS : 0;
  return Math.round(Math.max(own, slowed, Math.min(retryAfterMs, LONGEST_ASKED_MS)));
}

type Failed = Extract<PostOutcome, { kind: 'failed' }>;

/** The jitter factor, from 0.8 to 1.2. */
function toSpread(text: string): number {
  return 0.8 + (createHash('sha256').update(text).digest().readUInt16BE() / 0xffff) * 0.4;
}

/** From this many failures on the endpoint is at fault and not an event. */
const PATIENCE = 4;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 8 * 60 * 60_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
const LONGEST_ASKED_MS = 60 * 60_000;
const SLOW_DOWN = new Set([429, 502, 504]);
const SLOWED_MS = 30_000;

/** Signed per attempt, because the signature covers its time. Two secrets sign during a rotation. */
export function signWebhook({ delivery, secrets, wall }: Signed): Record<string, string> {
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

interface Signed {
  readonly delivery: Pick<Delivery, 'eventId' | 'body'>;
  readonly secrets: readonly string[];
  /** The wall-clock time of this attempt. */
  readonly wall: number;
}
