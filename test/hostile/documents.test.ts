import '../support/process-sources.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MOST_PIECE_MS } from './corpus/bounds.ts';
import { DOCUMENTS } from './corpus/documents.ts';
import { expand } from './corpus/expand.ts';
import { startBystander } from './target/bystander.ts';
import { createPieceCheck, type PieceCheck, toNewDocument } from './target/pieces.ts';
import { openPrepared, type Prepared } from './target/prepare.ts';
import { send } from './target/send.ts';

let prepared: Prepared;
let pieces: PieceCheck;

beforeAll(async () => {
  prepared = await openPrepared({}, { isApart: true });
  pieces = createPieceCheck(prepared.target, MOST_PIECE_MS);
});
afterAll(async () => {
  expect(await prepared.target.close()).toBe(0);
});

describe.each(DOCUMENTS.map((kind) => [kind.kind, kind] as const))('%s', (_kind, kind) => {
  let bystander: ReturnType<typeof startBystander>;
  beforeAll(() => {
    bystander = startBystander(prepared.target);
  });

  test.each(expand(kind).map((one) => [one.title, one] as const))(
    '%s',
    async (_title, { gets, ask }) => {
      const { target, facts, judge } = prepared;
      const request = ask(target.callers, facts);
      if (!request) return;
      const long = await pieces.check(async (attempt) => {
        const received = await send(target.url, toNewDocument(request, attempt));
        expect(judge.check(received, gets)).toEqual([]);
      });
      expect(long).toBeUndefined();
    },
  );

  test('another application is served during the attacks, and the process survives', async () => {
    const { served, failures } = await bystander.stop();
    expect(failures).toEqual([]);
    expect(served).toBeGreaterThan(0);
    expect(prepared.target.isAlive()).toBe(true);
  });
});

test('no log line contains a secret', () => {
  const { target, judge } = prepared;
  expect(target.product.lines().map(judge.findSecret).filter(Boolean)).toEqual([]);
});
