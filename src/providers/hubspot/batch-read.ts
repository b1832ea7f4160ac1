import type { Want } from '../../domain/want.ts';
import type { HubSpotAccount } from './account.ts';
import { isNotFound } from './call.ts';
import { PATHS } from './paths.ts';
import { wireRecords } from './wire.ts';

/** How many records one call reads. */
export const BATCH = 100;

/** The records that the inputs lead to: in no order, each once, and without a word on which input led to which. */
export async function readBatch(
  account: HubSpotAccount,
  { inputs, by }: Batch,
  want: Want,
): Promise<readonly unknown[]> {
  try {
    const { results } = await account.call(wireRecords, {
      path: PATHS.batchRead,
      budget: 'general',
      body: {
        ...(by === 'email' && { idProperty: 'email' }),
        properties: account.propertiesFor(want),
        inputs: inputs.map((id) => ({ id })),
      },
    });
    return results;
  } catch (error) {
    // Documented is 207 with the missing ones named; some have seen this where all of a batch are missing.
    if (isNotFound(error)) return [];
    throw error;
  }
}

interface Batch {
  /** At most `BATCH`, each once: HubSpot refuses a batch with a repeated input. */
  readonly inputs: readonly string[];
  readonly by: 'id' | 'email';
}
