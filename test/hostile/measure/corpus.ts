import { DOCUMENTS } from '../corpus/documents.ts';
import { expand } from '../corpus/expand.ts';
import { createPieceCheck, toNewDocument } from '../target/pieces.ts';
import { openPrepared, type Prepared } from '../target/prepare.ts';
import { send } from '../target/send.ts';
import { type Measure, none } from './measure.ts';

/** Each document of the corpus by itself, checking the event loop after each. */
export const corpus: Measure = async ({ only }) => {
  let prepared = await openPrepared({}, { isApart: true });
  const problems: string[] = [];
  const held: string[] = [];
  let pieces = createPieceCheck(prepared.target);
  for (const { title, gets, ask } of DOCUMENTS.flatMap(expand)) {
    if (only && !title.includes(only)) continue;
    if (!prepared.target.isAlive()) {
      prepared = await reopen(prepared);
      pieces = createPieceCheck(prepared.target);
    }
    const { target, facts, judge } = prepared;
    const request = ask(target.callers, facts);
    if (!request) continue;
    try {
      const long = await pieces.check(async (attempt) => {
        const found = judge.check(await send(target.url, toNewDocument(request, attempt)), gets);
        if (found.length > 0) problems.push(`${title}: ${found.join('; ')}`);
      });
      if (long !== undefined) held.push(`${title}: ${long}`);
    } catch (error) {
      problems.push(`${title}: ${error}`);
    }
  }
  await prepared.target.close();
  return [
    none('documents with a wrong answer', problems),
    none('documents with too long a piece of work', held),
    pieces.row(),
  ];
};

async function reopen({ target }: Prepared): Promise<Prepared> {
  await target.close();
  return openPrepared({}, { isApart: true });
}
