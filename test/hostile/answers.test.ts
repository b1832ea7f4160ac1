import '../support/process-sources.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANSWERED, ANSWERS } from './corpus/answers.ts';
import { MOST_PIECE_MS } from './corpus/bounds.ts';
import { BOUNDED } from './corpus/line.ts';
import { startBystander } from './target/bystander.ts';
import { createPieceCheck, type PieceCheck } from './target/pieces.ts';
import { openPrepared, type Prepared } from './target/prepare.ts';
import { send } from './target/send.ts';

let prepared: Prepared;
let pieces: PieceCheck;
let bystander: ReturnType<typeof startBystander>;

beforeAll(async () => {
  prepared = await openPrepared({}, { isApart: true });
  pieces = createPieceCheck(prepared.target, MOST_PIECE_MS);
  bystander = startBystander(prepared.target, 200);
});
afterAll(async () => {
  const { served, failures } = await bystander.stop();
  expect(failures).toEqual([]);
  expect(served).toBeGreaterThan(0);
  expect(await prepared.target.close()).toBe(0);
});

/** What a branch that needs the response gets: data, or an error of that branch. */
const GETS = {
  ...BOUNDED,
  status: [200, 294, 400, 499, 503],
  codes: /^(BAD_REQUEST|SERVICE_UNAVAILABLE|REMOTE_PROVIDER_\w+)$/,
};

describe.each(ANSWERS.map((answer) => [answer.title, answer] as const))(
  'A CRM that answers with %s',
  (_title, { status = 200, headers, write }) => {
    beforeAll(async () => {
      const { hubspot } = prepared.target.crms;
      const fault = { kind: 'answer', status, body: write(), ...(headers && { headers }) };
      await hubspot.fail(fault, { times: 1_000 });
    });
    afterAll(() => prepared.target.crms.hubspot.recover());

    test.each(Object.entries(ANSWERED))('delays nobody by %s', async (_way, request) => {
      const { target, judge } = prepared;
      const long = await pieces.check(async () => {
        const received = await send(target.url, request(target.callers.key));
        expect(judge.check(received, GETS)).toEqual([]);
      });
      expect(long).toBeUndefined();
    });
  },
);
