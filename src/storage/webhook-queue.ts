import type { Event } from '../domain/event.ts';
import type { Sealer } from '../domain/sealer.ts';
import {
  type ClaimedEndpoint,
  type Delivery,
  type FailingEndpoint,
  RETRIES_MS,
  type WebhookCounts,
  type WebhookQueue,
} from '../domain/webhook-queue.ts';
import type { Clock } from '../lib/clock.ts';
import type { Engine, Statement } from './engine/engine.ts';
import { openWebhookSecret } from './webhook-endpoints.ts';
import * as statements from './webhook-statements.ts';

/** Each statement is a transaction of its own: none is open while an endpoint is called. */
export function createWebhookQueue({ engine, sealer, clock }: QueueDeps): WebhookQueue {
  const at = (offsetMs = 0) => new Date(clock.wall() + offsetMs).toISOString();
  const run = <Row>(statement: Statement, values: readonly unknown[]) =>
    engine.repeatable(() => engine.query<Row>(statement, values));
  return {
    look: async () => {
      const [row] = await run<Awaited<ReturnType<WebhookQueue['look']>>>(statements.LOOK, [at()]);
      return row ?? { isDue: false, hasEndpoints: false };
    },
    claim: async ({ lease, leaseMs, healthy, failing }) => {
      // Not repeated once it was executed: nobody would know of what it has claimed.
      const values = [at(), lease, leaseMs, healthy, failing];
      const rows = await engine.once(() => engine.query<ClaimedRow>(statements.CLAIM, values));
      return rows.map((row) => toClaimed(sealer, row));
    },
    read: async (endpointId, limit) => {
      const rows = await run<DueRow>(statements.READ_DUE, [endpointId, at(), limit]);
      return rows.map(toDelivery);
    },
    succeed: async ({ endpointId, eventId }, isRecovery) => {
      await run(statements.SUCCEED, [endpointId, eventId, at(), isRecovery]);
    },
    fail: async ({ endpointId, eventId }, { reason, retryAfterMs, pauseMs, isGone }) => {
      const times = [at(retryAfterMs), at(pauseMs), isGone, at(-RETRIES_MS)];
      await engine.once(() => engine.query(statements.FAIL, [endpointId, eventId, at(), reason, ...times]));
    },
    release: async (endpointId, lease) => {
      await run(statements.RELEASE, [endpointId, lease]);
    },
    count: async () => {
      const [row] = await run<WebhookCounts>(statements.COUNT, [at()]);
      return row ?? { pending: 0, overdueSeconds: 0, failing: 0, disabled: 0 };
    },
    listFailing: () => run<FailingEndpoint>(statements.LIST_FAILING, []),
    sweep: async (olderThan) => {
      const values = [olderThan.toISOString(), SWEPT_AT_ONCE];
      const [row] = await run<{ readonly count: number }>(statements.SWEEP_EVENTS, values);
      return row?.count ?? 0;
    },
  };
}

function toClaimed(sealer: Sealer, row: ClaimedRow): ClaimedEndpoint {
  const { id, url, failures, sealedSecret, sealedPreviousSecret } = row;
  const sealed = sealedPreviousSecret === null ? [sealedSecret] : [sealedSecret, sealedPreviousSecret];
  const secrets = sealed.flatMap((one) => openWebhookSecret(sealer, id, one) ?? []);
  return { id, url, failures, secrets };
}

function toDelivery({ eventId, endpointId, attempts, ...event }: DueRow): Delivery {
  const { type, customerId, connectionId, sequence, data, createdAt } = event;
  const subject = connectionId === null ? {} : { connection_id: connectionId, sequence };
  const body = {
    type,
    timestamp: createdAt.toISOString(),
    data: { customer_id: customerId, ...subject, ...data },
  };
  return { eventId, endpointId, attempts, customerId, body: JSON.stringify(body) };
}

const SWEPT_AT_ONCE = 5_000;

interface ClaimedRow {
  readonly id: string;
  readonly url: string;
  readonly failures: number;
  readonly sealedSecret: string;
  readonly sealedPreviousSecret: string | null;
}

interface DueRow extends Omit<Event, 'id'> {
  readonly eventId: string;
  readonly endpointId: string;
  readonly attempts: number;
}

interface QueueDeps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly clock: Pick<Clock, 'wall'>;
}
