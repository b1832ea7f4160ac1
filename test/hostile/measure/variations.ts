import { setTimeout as wait } from 'node:timers/promises';
import { createDice, type Dice } from '../../support/dice.ts';
import { ANSWERS } from '../corpus/answers.ts';
import { many } from '../corpus/line.ts';
import { startBystander } from '../target/bystander.ts';
import { upsert } from '../target/open-target.ts';
import { openPrepared, PROVIDERS, type Prepared } from '../target/prepare.ts';
import { type Headers, type HttpRequest, send, toGraphQL } from '../target/send.ts';
import { atMost, type Measure, none, type Row } from './measure.ts';

/**
 * Fifty random attacks on memory and on the event loop, in processes of 384 and of 512 MB: cached pages and stored rows
 * under aliases and in batches, responses of a CRM, variables and bodies, by both kinds of callers over both APIs.
 */
export const variations: Measure = async ({ seed, scale }) => {
  const rows: Row[] = [];
  for (const heapMb of [384, 512]) {
    const prepared = await openPrepared(SETTINGS, { isApart: true, heapMb });
    await storeLargeCustomers(prepared);
    rows.push(...(await attack(prepared, { dice: createDice(seed), heapMb, count: 50 * scale })));
    await prepared.target.close();
  }
  return rows;
};

async function attack(prepared: Prepared, { dice, heapMb, count }: Attack): Promise<Row[]> {
  const { target, judge } = prepared;
  const usualMs = median(await watchLiveness(prepared, () => wait(3_000)));
  const bystander = startBystander(target);
  const problems: string[] = [];
  let slowest = { ms: 0, what: '' };
  for (let n = 0; n < count && target.isAlive(); n += 1) {
    const { what, fault, requests } = draw(dice, prepared);
    const { hubspot } = target.crms;
    if (fault) await hubspot.fail(fault, { times: 1_000 });
    const delays = await watchLiveness(prepared, async () => {
      const sent = requests.map((request) => send(target.url, request).catch(String));
      for (const received of await Promise.all(sent)) {
        if (typeof received === 'string') problems.push(`${what}: ${received}`);
        else problems.push(...judge.checkAlways(received).map((found) => `${what}: ${found}`));
      }
    });
    if (fault) await hubspot.recover();
    const ms = Math.max(...delays);
    if (ms > slowest.ms) slowest = { ms, what };
  }
  const { failures } = await bystander.stop();
  return [
    none(
      `${heapMb} MB: the process has ended`,
      target.isAlive() ? [] : [target.product.complaints()],
    ),
    none(`${heapMb} MB: wrong answers`, problems),
    none(`${heapMb} MB: requests of another application that failed`, failures),
    atMost(`${heapMb} MB: /livez was slower (${slowest.what})`, slowest.ms - usualMs, 100, 'ms'),
  ];
}

/** How long each request for /livez took meanwhile. */
async function watchLiveness(
  { target }: Prepared,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const delays: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { tookMs } = await send(target.url, { method: 'GET', path: '/livez' });
      delays.push(tookMs);
      await wait(20);
    }
  })();
  await work().finally(() => {
    isOver = true;
  });
  await watching.catch(() => undefined);
  return delays;
}

function draw(dice: Dice, { target, facts }: Prepared): Variation {
  const caller = dice.pick(['key', 'token'] as const);
  const headers = target.callers[caller];
  const [name, make] = dice.pick(Object.entries(WAYS));
  const atOnce = dice.pick([1, 2, 4, 8, 16]);
  const { fault, request } = make(dice, headers, facts.ids);
  const requests = Array.from({ length: atOnce }, () => request);
  return { what: `${atOnce} × ${name}, ${caller}`, fault, requests };
}

const WAYS: Readonly<Record<string, Way>> = {
  'cached pages under aliases': (dice, headers) => {
    const size = dice.pick([1, 100, 999, 1_000]);
    const fields = dice.pick([
      'totalCount',
      'nodes{id}',
      'nodes{firstName rawData}',
      'pageInfo{hasNextPage}',
    ]);
    const query = `{${many(dice.pick([1, 50, 190]), (n) => `a${n}:searchContacts(filter:{emailDomain:"example.com"},first:${size},readFromCache:true){${fields}}`)}}`;
    const batch = Array.from({ length: dice.pick([1, 2, 5, 10]) }, () => ({ query }));
    return { request: toGraphQL(batch.length === 1 ? batch[0] : batch, headers) };
  },
  'lists of large customers': (dice, headers) => ({
    request: dice.chance(50)
      ? { method: 'GET', path: `/customers?page_size=${dice.pick([10, 100, 1_000])}`, headers }
      : toGraphQL(
          { query: `{customers(first:${dice.pick([10, 250])}){nodes{${dice.pick(SELECTIONS)}}}}` },
          headers,
        ),
  }),
  'large customers by id': (dice, headers) => ({
    request: toGraphQL(
      {
        query: `{${many(dice.pick([1, 20, 150]), (n) => `a${n}:customer(customerId:"large-${n % CUSTOMERS}"){${dice.pick(SELECTIONS)}}`)}}`,
      },
      headers,
    ),
  }),
  'responses of a CRM': (dice, headers) => {
    const { title: _, status = 200, headers: with_, write } = dice.pick(ANSWERS);
    const filter = dice.pick([{ email: 'ada@example.com' }, { emailDomain: 'example.com' }]);
    const query = `query($f:ContactFilter!){searchContacts(filter:$f,first:1000){nodes{id ${dice.pick(['rawData', 'firstName'])}}}}`;
    return {
      fault: { kind: 'answer', status, body: write(), ...(with_ && { headers: with_ }) },
      request: toGraphQL({ query, variables: { f: filter } }, headers),
    };
  },
  'variables of a megabyte': (dice, headers) => {
    const unknown = Object.fromEntries(
      Array.from({ length: dice.pick([10, 1_000, 60_000]) }, (_, n) => [`k${n}`, n]),
    );
    const query = 'query($f:ContactFilter!){searchContacts(filter:$f){totalCount}}';
    const f = dice.pick([
      unknown,
      { emails: Array(dice.pick([100, 100_000])).fill(1) },
      { email: 'x'.repeat(900_000) },
    ]);
    return { request: toGraphQL({ query, variables: { f } }, headers) };
  },
  'bodies of a megabyte': (dice, headers) => {
    const body = dice.pick([
      () => `[${'{},'.repeat(300_000)}{}]`,
      () => '['.repeat(1_000_000),
      () => `{"query":"${'{'.repeat(900_000)}"}`,
      () => JSON.stringify({ query: '#'.repeat(900_000) }),
      () => `{${Array.from({ length: 70_000 }, (_, n) => `"k${n}":1`).join()}}`,
    ])();
    const path = dice.pick(['/graphql', '/contacts/_search', '/customers']);
    const method = path === '/customers' ? 'PUT' : 'POST';
    return {
      request: { method, path, headers: { ...headers, 'content-type': 'application/json' }, body },
    };
  },
  'contacts by id': (dice, headers, ids) => {
    const query = `query($i:[ID!]!){${many(dice.pick([1, 20]), (n) => `a${n}:nodes(ids:$i){...on Contact{firstName rawData}}`)}}`;
    return { request: toGraphQL({ query, variables: { i: ids } }, headers) };
  },
};

const SELECTIONS = [
  'customerId',
  'connections{schemaMappingsConfig{commonObjects{object fieldMappings{mappedField}}}}',
  'connections{id status}',
];

async function storeLargeCustomers({ target }: Prepared): Promise<void> {
  const mapped_field = 'x'.repeat(60 * 1024);
  const field_mappings = [{ schema_field: 'a', mapped_field }];
  const schema_mappings_config = { common_objects: [{ object: 'contact', field_mappings }] };
  const connections = PROVIDERS.map((provider_name) => ({
    provider_name,
    schema_mappings_config,
  }));
  for (let n = 0; n < CUSTOMERS; n += 1)
    await upsert(target.url, target.callers.key, `large-${n}`, connections);
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

const CUSTOMERS = 60;
const SETTINGS = {
  CROSSBOOK_REQUESTS_PER_MINUTE: '1000000',
  CROSSBOOK_TOKEN_REQUESTS_PER_MINUTE: '1000000',
  // As shipped: with a longer one, many searches that the CRM's rate limit delays take longer than a test waits.
  CROSSBOOK_PROVIDER_DEADLINE_MS: '10000',
};

type Way = (
  dice: Dice,
  headers: Headers,
  ids: readonly string[],
) => { readonly fault?: object; readonly request: HttpRequest };

interface Variation {
  readonly what: string;
  readonly fault: object | undefined;
  readonly requests: readonly HttpRequest[];
}

interface Attack {
  readonly dice: Dice;
  readonly heapMb: number;
  readonly count: number;
}
