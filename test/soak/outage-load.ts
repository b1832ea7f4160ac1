import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Product } from '../support/start-product.ts';

/** Upserts, reads, searches and cached searches at this rate, or upserts alone; each is for a new customer. */
export function startOutageLoad(
  { url, headers }: Pick<Product, 'url' | 'headers'>,
  perSecond: number,
  kind: 'all' | 'upserts' = 'all',
): OutageLoad {
  const answers: Answer[] = [];
  const upserts: string[] = [];
  const acknowledged: string[] = [];
  const readiness: Answer[] = [];
  const running = new Set<Promise<void>>();
  let count = 0;
  const requests = setInterval(() => start(answers, () => ask(count++)), 1_000 / perSecond);
  const probes = setInterval(() => start(readiness, () => send('GET', '/readyz')), PROBE_MS);
  return {
    answers,
    upserts,
    acknowledged,
    readiness,
    async stop() {
      clearInterval(requests);
      clearInterval(probes);
      await Promise.all(running);
    },
  };

  function start(into: Answer[], request: () => Promise<number>): void {
    const sentAt = performance.now();
    const one: Promise<void> = request()
      .catch(() => 0)
      .then((status) => void into.push({ sentAt, ms: performance.now() - sentAt, status }))
      .finally(() => running.delete(one));
    running.add(one);
  }

  async function ask(number: number): Promise<number> {
    if (kind === 'upserts' || number % 4 === 0) return upsert(randomUUID());
    if (number % 4 === 1) return send('GET', '/customers/demo');
    const path = `/contacts/_search${number % 4 === 2 ? '' : '?read_from_cache=true'}`;
    return send('POST', path, { filter: { email: 'ada@example.com' } });
  }

  async function upsert(id: string): Promise<number> {
    upserts.push(id);
    const status = await send('PUT', '/customers', {
      customer_id: id,
      name: `${id} ${PADDING}`,
      email: 'a@example.com',
    });
    if (status === 200) acknowledged.push(id);
    return status;
  }

  async function send(method: string, path: string, body?: object): Promise<number> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.text();
    return response.status;
  }
}

/** Waits until the product can use its database again; undefined if it never can. */
export async function measureReturn({ url }: Product): Promise<number | undefined> {
  const from = performance.now();
  while (performance.now() - from < PATIENCE_MS) {
    const { ok } = (await (await fetch(`${url}/readyz`)).json()) as { ok: boolean };
    if (ok) return performance.now() - from;
    await wait(50);
  }
  return undefined;
}

/** Large rows, so that the table has to grow. */
const PADDING = 'x'.repeat(150);
const PROBE_MS = 500;
const PATIENCE_MS = 30_000;

export interface Answer {
  readonly sentAt: number;
  readonly ms: number;
  /** 0: there was no response. */
  readonly status: number;
}

export interface OutageLoad {
  readonly answers: readonly Answer[];
  /** Customers for each of whom one upsert was sent. */
  readonly upserts: readonly string[];
  /** Those whose upsert got 200. */
  readonly acknowledged: readonly string[];
  readonly readiness: readonly Answer[];
  stop(): Promise<void>;
}
