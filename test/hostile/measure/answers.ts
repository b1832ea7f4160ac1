import { ANSWERED, ANSWERS } from '../corpus/answers.ts';
import { createPieceCheck } from '../target/pieces.ts';
import { openPrepared } from '../target/prepare.ts';
import { send } from '../target/send.ts';
import { type Measure, none } from './measure.ts';

/** Each hostile response of a CRM by itself, checking every piece of work. */
export const answers: Measure = async ({ only }) => {
  const { target, judge } = await openPrepared({}, { isApart: true });
  const pieces = createPieceCheck(target);
  const [problems, held]: [string[], string[]] = [[], []];
  for (const { title, status = 200, headers, write } of ANSWERS) {
    if (only && !title.includes(only)) continue;
    const fault = { kind: 'answer', status, body: write(), ...(headers && { headers }) };
    await target.crms.hubspot.fail(fault, { times: 1_000 });
    for (const [way, toRequest] of Object.entries(ANSWERED)) {
      const request = toRequest(target.callers.key);
      const long = await pieces.check(async () => {
        const found = judge.checkAlways(await send(target.url, request));
        problems.push(...found.map((problem) => `${title}: ${problem}`));
      });
      if (long !== undefined) held.push(`${title}, by ${way}: ${long}`);
    }
    await target.crms.hubspot.recover();
  }
  await target.close();
  return [
    none('responses with a wrong answer', problems),
    none('responses with too long a piece of work', held),
    pieces.row(),
  ];
};
