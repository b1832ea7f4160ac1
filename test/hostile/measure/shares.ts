import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { ADA, type Target, upsert } from '../target/open-target.ts';
import { openPrepared } from '../target/prepare.ts';
import { type Asked, ELSEWHERE, send, toGraphQL } from '../target/send.ts';
import { type Measure, none, type Row } from './measure.ts';
import { compare } from './shares-of-time.ts';

const ROUNDS = 5;
/** Of the application that is measured. */
const CUSTOMERS = Array.from({ length: 40 }, (_, n) => `neighbour-${n}`);

/** What one tenant does to another's waiting time: each attack in turn with a quiet time, medians of five. */
export const shares: Measure = async ({ scale }) => {
  const { target } = await openPrepared({ CROSSBOOK_PROVIDER_DEADLINE_MS: '3000' });
  const slow = await target.crms.hubspot.create(ADA);
  await upsert(target.url, target.callers.key, 'slow', [target.crms.hubspot.connect(slow)]);
  await target.crms.hubspot.fail({ kind: 'slow', delayMs: 2_500 }, { account: slow.id, times: 1_000_000 });
  // Many, so that none of their CRMs' own budgets keeps them waiting.
  for (const customer of CUSTOMERS) {
    const connection = target.crms.hubspot.connect(await target.crms.hubspot.create(ADA));
    await upsert(target.url, target.callers.neighbour, customer, [connection]);
  }
  const seconds = 4 * scale;
  const rows: Row[] = [];
  for (const [name, attack] of Object.entries(ATTACKS)) {
    const failed: string[] = [];
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await measure(target, seconds, failed));
      const stop = attack(target);
      await wait(500);
      beside.push(await measure(target, seconds, failed));
      await stop();
      await wait(3_000);
    }
    rows.push(none(`${name}: requests of another application that failed`, failed));
    rows.push(...compare(name, { p99: middle(alone) }, { p99: middle(beside) }));
  }
  await target.close();
  return rows;
};

const ATTACKS: Readonly<Record<string, (target: Target) => () => Promise<void>>> = {
  'beside a slow CRM under 500 requests a second': (target) =>
    load(target.url, 500, () =>
      toGraphQL({ query: look('first') }, { ...target.callers.key, 'x-customer-id': 'slow' }),
    ),
  'beside an application at ten times its share': (target) =>
    load(target.url, 200, () => toGraphQL({ query: PAGE }, target.callers.key)),
};

/** The p99 of another application, without what this process was late itself. */
async function measure({ url, callers }: Target, seconds: number, failed: string[]): Promise<number> {
  const late = monitorEventLoopDelay({ resolution: 1 });
  late.enable();
  const took: number[] = [];
  const until = performance.now() + seconds * 1_000;
  const query = look('nodes');
  while (performance.now() < until) {
    const customer = CUSTOMERS[took.length % CUSTOMERS.length] ?? '';
    const headers = { ...callers.neighbour, 'x-customer-id': customer };
    const { status, text, tookMs } = await send(url, toGraphQL({ query }, headers));
    if (status !== 200 || text.includes('"errors"')) failed.push(`${status} ${text.slice(0, 200)}`);
    took.push(tookMs);
    await wait(10);
  }
  late.disable();
  const own = late.percentile(99) / 1e6 - 1;
  return Math.max(0, (took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0) - own);
}

/** So many a second, whatever becomes of them. */
function load(url: string, perSecond: number, write: () => Asked): () => Promise<void> {
  const under = new Set<Promise<unknown>>();
  let due = 0;
  const timer = setInterval(() => {
    for (due += perSecond / 50; due >= 1; due--) {
      if (under.size >= MOST_UNDER_WAY) continue;
      const one: Promise<unknown> = send(url, { ...write(), from: ELSEWHERE })
        .catch(() => undefined)
        .finally(() => under.delete(one));
      under.add(one);
    }
  }, 20);
  return async () => {
    clearInterval(timer);
    await Promise.all(under);
  };
}

function look(part: string): string {
  return part === 'nodes'
    ? `{searchContacts(filter:{email:"${ADA}"}){nodes{firstName}}}`
    : '{searchContacts(filter:{emailDomain:"example.com"},first:5){totalCount}}';
}

function middle(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

const PAGE = '{searchContacts(filter:{emailDomain:"example.com"},first:1000){nodes{id firstName rawData}}}';
const MOST_UNDER_WAY = 2_000;
