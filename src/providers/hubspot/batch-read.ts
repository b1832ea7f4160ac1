import type { Want } from '../../domain/want.ts';
import type { HubSpotAccount } from './account.ts';
import { isNotFound } from './call.ts';
import { PATHS } from './paths.ts';
import { toRecords } from './wire.ts';

/** How many records one call reads. */
export const BATCH = 100;

/**
 * The records that the inputs lead to: in no order, each once, and without a word on which input led to which. They are
 * translated where they are parsed: what waited for the call would hold them for much longer than anybody looks at them.
 */
export async function readBatch<Result>(
  account: HubSpotAccount,
  { inputs, by, want }: Batch,
  translate: (records: readonly unknown[]) => Result,
): Promise<Result> {
  const read = (json: unknown) => {
    const records = toRecords(json);
    return records && translate(records);
  };
  try {
    return await account.call(read, {
      path: PATHS.batchRead,
      budget: 'general',
      body: {
        ...(by === 'email' && { idProperty: 'email' }),
        properties: account.propertiesFor(want),
        inputs: inputs.map((id) => ({ id })),
      },
    });
  } catch (error) {
    // Documented is 207 with the missing ones named; some have seen this where all of a batch are missing.
    if (isNotFound(error)) return translate([]);
    throw error;
  }
}

interface Batch {
  /** At most `BATCH`, each once: HubSpot refuses a batch with a repeated input. */
  readonly inputs: readonly string[];
  readonly by: 'id' | 'email';
  readonly want: Want;
}
