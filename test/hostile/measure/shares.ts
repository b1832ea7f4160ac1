import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { ADA, type Target, upsert } from '../target/open-target.ts';
import { openPrepared } from '../target/prepare.ts';
import { send, toGraphQL } from '../target/send.ts';
import { type Load, startLoad } from './load.ts';
import { type Measure, none, type Row } from './measure.ts';
import { compare } from './shares-of-time.ts';

const ROUNDS = 5;
/** Concurrent requests of the measured application: a p99 needs hundreds of responses. */
const AT_ONCE = 2;
/** The customers of the measured application. */
const CUSTOMERS = Array.from({ length: 40 }, (_, n) => `neighbour-${n}`);

/**
 * How one tenant's load affects another tenant's latency: each attack alternates with a quiet period, medians of
 * five.
 */
export const shares: Measure = async ({ scale, only = '' }) => {
  const { target } = await openPrepared(
    { CROSSBOOK_PROVIDER_DEADLINE_MS: '3000' },
    { isApart: true },
  );
  const slow = await target.crms.hubspot.create(ADA);
  await upsert(target.url, target.callers.key, 'slow', [target.crms.hubspot.connect(slow)]);
  await target.crms.hubspot.fail(
    { kind: 'slow', delayMs: 2_500 },
    { account: slow.id, times: 1_000_000 },
  );
  // Many customers, so that no provider rate limit delays them.
  for (const customer of CUSTOMERS) {
    const connection = target.crms.salesforce.connect(await target.crms.salesforce.create(ADA));
    await upsert(target.url, target.callers.neighbour, customer, [connection]);
  }
  const seconds = 4 * scale;
  const rows: Row[] = [];
  const wanted = Object.entries({ ...ATTACKS, ...FLOODS }).filter(([name]) => name.includes(only));
  for (const [name, attack] of wanted) {
    const failed: string[] = [];
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await measure(target, seconds, failed));
      const stop = await startLoad(attack(target));
      await wait(500);
      beside.push(await measure(target, seconds, failed));
      await stop();
      await wait(3_000);
    }
    rows.push(none(`beside ${name}: requests of another application that failed`, failed));
    const p99 = { alone: middle(alone), beside: middle(beside) };
    rows.push(
      ...(name in FLOODS
        ? [atMost(`p99 beside ${name}`, p99)]
        : compare(`beside ${name}`, { p99: p99.alone }, { p99: p99.beside })),
    );
  }
  await target.close();
  return rows;
};

/** Sent by another application. */
const ATTACKS: Attacks = {
  'a slow CRM under 500 requests a second': ({ url, callers }) => ({
    url,
    perSecond: 500,
    atOnce: 2_000,
    request: toGraphQL({ query: look('first') }, { ...callers.key, 'x-customer-id': 'slow' }),
  }),
  '200 pages a second, ten times what fits': ({ url, callers }) => ({
    url,
    perSecond: 200,
    atOnce: 2_000,
    request: toGraphQL({ query: page(false) }, callers.key),
  }),
};

/**
 * These saturate the CPU, so nothing is left to share: no request of another application may fail, and none may
 * wait longer than the event loop may be blocked.
 */
const FLOODS: Attacks = {
  '1,000 pages a second from the cache': ({ url, callers }) => ({
    url,
    perSecond: 1_000,
    atOnce: 2_000,
    request: toGraphQL({ query: page(true) }, callers.key),
  }),
  'as many requests without a look at the database as 400 connections carry': ({
    url,
    callers,
  }) => ({
    url,
    perSecond: 50_000,
    atOnce: 400,
    request: toGraphQL({ query: '{providers{name}}' }, callers.key),
  }),
  'as many small requests as 400 connections carry': ({ url, callers }) => ({
    url,
    perSecond: 50_000,
    atOnce: 400,
    request: toGraphQL({ query: '{customer{id connections{providerName status}}}' }, callers.key),
  }),
};

const FLOOD_MS = 250;

function atMost(what: string, { alone, beside }: { alone: number; beside: number }): Row {
  const value = `${alone.toFixed(1)} → ${beside.toFixed(1)} ms`;
  return {
    what: `${what}, against alone`,
    value,
    bound: `at most ${FLOOD_MS} ms`,
    holds: beside <= FLOOD_MS,
  };
}

type Attacks = Readonly<Record<string, (target: Target) => Load>>;

/** The p99 of another application, minus the event loop lag of this process. */
async function measure(
  { url, callers }: Target,
  seconds: number,
  failed: string[],
): Promise<number> {
  const late = monitorEventLoopDelay({ resolution: 1 });
  late.enable();
  const took: number[] = [];
  const until = performance.now() + seconds * 1_000;
  const query = look('nodes');
  const askAgainAndAgain = async () => {
    while (performance.now() < until) {
      const customer = CUSTOMERS[took.length % CUSTOMERS.length] ?? '';
      const headers = {
        ...callers.neighbour,
        'x-customer-id': customer,
        'x-provider-name': 'salesforce',
      };
      const { status, text, tookMs } = await send(url, toGraphQL({ query }, headers));
      if (status !== 200 || text.includes('"errors"'))
        failed.push(`${status} ${text.slice(0, 200)}`);
      took.push(tookMs);
      await wait(10);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askAgainAndAgain));
  late.disable();
  const own = late.percentile(99) / 1e6 - 1;
  return Math.max(0, (took.sort((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? 0) - own);
}

function look(part: string): string {
  return part === 'nodes'
    ? `{searchContacts(filter:{email:"${ADA}"}){nodes{firstName}}}`
    : '{searchContacts(filter:{emailDomain:"example.com"},first:5){totalCount}}';
}

function middle(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function page(readFromCache: boolean): string {
  return `{searchContacts(filter:{emailDomain:"example.com"},first:1000,readFromCache:${readFromCache}){nodes{id firstName rawData}}}`;
}
