import { HELD_MS } from '../corpus/bounds.ts';
import { DOCUMENTS } from '../corpus/documents.ts';
import { expand } from '../corpus/expand.ts';
import { openPrepared, type Prepared } from '../target/prepare.ts';
import { send } from '../target/send.ts';
import { type Measure, none } from './measure.ts';

/** Each document of the corpus by itself, checking the event loop after each. */
export const corpus: Measure = async ({ only }) => {
  let prepared = await openPrepared();
  const problems: string[] = [];
  const held: string[] = [];
  for (const { title, gets, ask } of DOCUMENTS.flatMap(expand)) {
    if (only && !title.includes(only)) continue;
    if (!prepared.target.isAlive()) prepared = await reopen(prepared);
    const { target, facts, judge } = prepared;
    const request = ask(target.callers, facts);
    if (!request) continue;
    try {
      await target.monitor.read();
      const found = judge.check(await send(target.url, request), gets);
      if (found.length > 0) problems.push(`${title}: ${found.join('; ')}`);
      const { heldMs } = await target.monitor.read();
      if (heldMs > HELD_MS) held.push(`${title}: ${Math.round(heldMs)} ms`);
    } catch (error) {
      problems.push(`${title}: ${error}`);
    }
  }
  await prepared.target.close();
  return [
    none('documents with a wrong answer', problems),
    none(`documents that held the loop for over ${HELD_MS} ms`, held),
  ];
};

async function reopen({ target }: Prepared): Promise<Prepared> {
  await target.close();
  return openPrepared();
}
