import { createDice } from '../../support/dice.ts';
import { ANSWER_BYTES } from '../corpus/bounds.ts';
import { DOCUMENTS } from '../corpus/documents.ts';
import { expand } from '../corpus/expand.ts';
import { TOOLS } from '../corpus/tools.ts';
import { openSchema } from '../fuzz/open-schema.ts';
import { createDocumentWriter } from '../fuzz/write-document.ts';
import type { Caller } from '../target/open-target.ts';
import { openPrepared, type Prepared } from '../target/prepare.ts';
import { type HttpRequest, send, toGet, toGraphQL } from '../target/send.ts';
import { atMost, MEGABYTE, type Measure, none, type Row } from './measure.ts';

/** A thousand random documents among those of the corpus, by ten unauthenticated clients concurrently. */
export const strangers: Measure = (options) =>
  flood({ ...options, caller: 'stranger', about: 'schema' });

/** The same with an API key, including data. */
export const keyholders: Measure = (options) =>
  flood({ ...options, caller: 'key', about: 'anything' });

async function flood({ seed, scale, caller, about }: Flood): Promise<readonly Row[]> {
  const prepared = await openPrepared();
  const { target, facts, judge } = prepared;
  const found = {
    answers: [] as string[],
    tools: [] as string[],
    heaviest: 0,
    heldMs: 0,
    lateMs: 0,
  };
  const waiting = [
    ...readCorpus(prepared, caller),
    ...generate(prepared, { seed, scale, caller, about }),
  ];
  const total = waiting.length;
  const before = (await target.monitor.collect()).held;

  const client = async () => {
    for (let request = waiting.pop(); request && target.isAlive(); request = waiting.pop()) {
      const received = await send(target.url, request).catch((error) => String(error));
      if (typeof received === 'string') {
        found.answers.push(`${received}: ${String(request.path ?? request.body).slice(0, 200)}`);
        continue;
      }
      found.heaviest = Math.max(found.heaviest, received.bytes);
      found.answers.push(...judge.checkAlways(received));
      // Ten are below the concurrency limit.
      if (received.status === 503) found.answers.push('503');
      const loop = await target.monitor.read();
      found.heldMs = Math.max(found.heldMs, loop.longestMs);
      found.lateMs = Math.max(found.lateMs, loop.lateMs);
    }
  };
  const tools = async () => {
    const cases = expand({ ...TOOLS, as: ['stranger'] });
    for (let n = 0; waiting.length > 0 && target.isAlive(); n++) {
      const one = cases[n % cases.length];
      const request = one?.ask(target.callers, facts);
      if (one && request)
        found.tools.push(...judge.check(await send(target.url, request), one.gets));
    }
  };
  await Promise.all([...Array.from({ length: 10 }, client), tools()]).catch((error) =>
    found.answers.push(String(error)),
  );
  const isAlive = target.isAlive();
  const after = isAlive ? (await target.monitor.collect()).held : Number.POSITIVE_INFINITY;
  await target.close();
  return [
    none(`of ${total} documents of a ${caller}: wrong answers`, found.answers),
    none('introspection by tools that did not pass meanwhile', found.tools),
    none('the process has ended', isAlive ? [] : [target.product.complaints()]),
    atMost('the heaviest answer', found.heaviest / MEGABYTE, ANSWER_BYTES[caller] / MEGABYTE, 'MB'),
    atMost(
      `the event loop was held (late with all else: ${Math.round(found.lateMs)} ms)`,
      found.heldMs,
      ITERATION_MS,
      'ms',
    ),
    atMost('the heap has grown, once garbage is collected', (after - before) / MEGABYTE, 50, 'MB'),
  ];
}

function readCorpus({ target, facts }: Prepared, caller: Caller): HttpRequest[] {
  return DOCUMENTS.filter(({ as }) => as.includes(caller))
    .flatMap((kind) => expand({ ...kind, as: [caller] }))
    .flatMap(({ ask }) => ask(target.callers, facts) ?? []);
}

function generate(
  { target, facts }: Prepared,
  { seed, scale, caller, about }: Flood,
): HttpRequest[] {
  const dice = createDice(seed);
  const texts = ['demo', 'stuffed', 'ada@example.com', 'example.com', 'Contact', 'Query', ''];
  const ids = facts.ids.slice(0, 200);
  const options = { schema: openSchema(), dice, texts, ids };
  // Most hostile documents are short; one of a megabyte must be rejected, or get its response, as quickly.
  const writers = [1_000, 16_000, 31_000, 250_000, 1_000_000].map((maxCharacters) =>
    createDocumentWriter({ ...options, maxCharacters }),
  );
  return Array.from({ length: Math.ceil(1_000 * scale) }, () => {
    const operation = dice.pick(writers)(about);
    const get = toGet(operation, target.callers[caller]);
    const way = dice.next(3);
    if (way === 0 && (get.path?.length ?? 0) < 14_000) return get;
    const batch = Array.from({ length: 2 + dice.next(9) }, () => operation);
    return toGraphQL(way === 1 ? batch : operation, target.callers[caller]);
  });
}

/** One iteration of the event loop may run a piece of work of each of the ten clients. */
const ITERATION_MS = 250;

interface Flood {
  readonly seed: number;
  readonly scale: number;
  readonly caller: Caller;
  readonly about: 'schema' | 'anything';
}
