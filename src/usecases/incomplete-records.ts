import {
  type IncompleteRecords,
  MAX_INCOMPLETE_EXAMPLES,
  MAX_OMITTED_NAMES,
  type SyncedRecord,
} from '../domain/sync.ts';

/**
 * The records that are in a table without some fields, after a page was written. Exact while there are at most as many
 * as are named; beyond, a record that is copied whole again is counted until the next full run.
 */
export function noteIncomplete(
  before: IncompleteRecords = NONE,
  { records, removed }: WrittenPage,
): IncompleteRecords | undefined {
  const examples = new Map(before.examples.map((example) => [example.id, example]));
  let { count } = before;
  const forget = (id: string) => {
    if (examples.delete(id)) count -= 1;
  };
  if (examples.size > 0) for (const id of removed) forget(id);
  for (const { id, omittedFields } of records) {
    if (examples.size > 0) forget(id);
    if (!omittedFields) continue;
    count += 1;
    const fields = omittedFields.slice(0, MAX_OMITTED_NAMES);
    if (examples.size < MAX_INCOMPLETE_EXAMPLES)
      examples.set(id, { id, omittedFields: omittedFields.length, fields });
  }
  return count > 0 ? { count, examples: [...examples.values()] } : undefined;
}

export const NONE: IncompleteRecords = { count: 0, examples: [] };

interface WrittenPage {
  readonly records: readonly Pick<SyncedRecord, 'id' | 'omittedFields'>[];
  readonly removed: readonly string[];
}
