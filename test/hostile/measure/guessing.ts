import { setTimeout as wait } from 'node:timers/promises';
import { openPrepared, type Prepared } from '../target/prepare.ts';
import { type Headers, send, toGraphQL } from '../target/send.ts';
import { atMost, type Measure, none, type Row } from './measure.ts';

const PER_SECOND = 1_000;
/** Twice the limit of the throttled queue. */
const WAIT_MS = 10_000;

/** Thousands of wrong keys and tokens from one address: valid credentials from there must always get a response. */
export const guessing: Measure = async ({ scale }) => {
  const prepared = await openPrepared();
  const { target } = prepared;
  const fresh = await issueTokens(prepared, Math.ceil(100 * scale));
  const failed = { used: [] as string[], fresh: [] as string[], guesses: [] as string[] };
  let guessed = 0;
  let refused = 0;
  let longestMs = 0;
  const under = new Set<Promise<unknown>>();
  const timer = setInterval(() => {
    for (let n = 0; n < PER_SECOND / 50 && under.size < 2_000; n++) {
      guessed += 1;
      const guess = toGuess(guessed);
      const one = send(target.url, toGraphQL({ query: QUERY }, guess))
        .then(({ status, headers, tookMs }) => {
          longestMs = Math.max(longestMs, tookMs);
          if (status === 503 && headers['retry-after'] !== undefined) refused += 1;
          else if (status !== 401) failed.guesses.push(`${status} for ${JSON.stringify(guess)}`);
        })
        .catch((error) => failed.guesses.push(`${error} for ${JSON.stringify(guess)}`))
        .finally(() => under.delete(one));
      under.add(one);
    }
  }, 20);
  const startedAt = performance.now();
  await wait(1_000);
  for (const headers of fresh) {
    await answer(prepared, headers, failed.fresh);
    for (const caller of [target.callers.key, target.callers.token, target.callers.neighbour]) {
      await answer(prepared, caller, failed.used);
    }
  }
  const perSecond = Math.round((guessed / (performance.now() - startedAt)) * 1_000);
  clearInterval(timer);
  await Promise.all(under);
  await target.close();
  const rows: Row[] = [
    none(`${fresh.length * 3} requests with keys and tokens in use: not answered`, failed.used),
    none(`${fresh.length} requests with tokens not seen before: not answered`, failed.fresh),
    none(`${guessed} guesses, ${perSecond} a second: neither 401 nor 503`, failed.guesses),
    atMost(
      `the longest wait of a guess; ${refused} were refused with 503`,
      longestMs,
      WAIT_MS,
      'ms',
    ),
  ];
  return rows;
};

async function answer({ target }: Prepared, headers: Headers, failed: string[]): Promise<void> {
  const { status, text } = await send(target.url, toGraphQL({ query: QUERY }, headers));
  if (status !== 200 || !text.startsWith('{"data":{"customer":{"name"'))
    failed.push(`${status} ${text.slice(0, 200)}`);
}

async function issueTokens({ target }: Prepared, count: number): Promise<Headers[]> {
  const { key } = target.callers;
  const headers = { ...key, 'content-type': 'application/json' };
  const issue = async () => {
    const { text } = await send(target.url, {
      path: '/customers/demo/tokens',
      headers,
      body: '{}',
    });
    return { authorization: `Bearer ${JSON.parse(text).token}`, 'x-customer-id': 'demo' };
  };
  return Promise.all(Array.from({ length: count }, issue));
}

/**
 * Well-formed and malformed keys, tokens, and one of them repeatedly, some from a page of the neighbour's origin.
 */
function toGuess(n: number): Headers {
  const random = `${n}`.padStart(43, 'x');
  return [
    { 'x-api-key': `cbk_${`${n}`.padStart(12, 'a')}_${random}` },
    { 'x-api-key': `cbk_demo_${random}` },
    { 'x-api-key': 'x', origin: 'https://app.example' },
    { authorization: `Bearer eyJhbGciOiJIUzI1NiJ9.${random}.${random}` },
    { authorization: 'x' },
  ][n % 5] as Headers;
}

const QUERY = '{customer{name}}';
