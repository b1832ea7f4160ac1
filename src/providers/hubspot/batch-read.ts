import type { FieldSelection } from '../../domain/field-selection.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { chunk } from '../../lib/chunk.ts';
import type { HubSpotAccount } from './account.ts';
import { isNotFound, understand } from './call.ts';
import { MERGED_IDS } from './contacts.ts';
import { PATHS } from './paths.ts';
import { toRecords } from './wire.ts';

/** How many records one call reads. */
export const BATCH = 100;

/**
 * The records that the inputs lead to: in no order, each once, and without a word on which input led to which. They are
 * parsed one batch after the other while they are translated, and not before the last batch is here: until then answers
 * are but bytes. The garbage collector would carry whatever is made sooner through all of the waiting.
 */
export async function readBatches<Result>(
  account: HubSpotAccount,
  question: Question,
  translate: (batches: Iterable<readonly unknown[]>) => Result,
): Promise<Result> {
  const batches = chunk(question.inputs, BATCH).map((inputs) =>
    askForBatch(account, { ...question, inputs }),
  );
  const answers = await Promise.all(batches);
  return translate(parse(answers));
}

function* parse(answers: readonly (ProviderResponse | undefined)[]): Iterable<readonly unknown[]> {
  for (const answer of answers) if (answer) yield understand(toRecords, answer);
}

/** Undefined where nobody is found. */
async function askForBatch(
  account: HubSpotAccount,
  question: Question,
): Promise<ProviderResponse | undefined> {
  const { inputs, by, selection } = question;
  try {
    return await account.ask({
      path: PATHS.batchRead,
      budget: 'general',
      body: {
        idProperty: by === 'email' ? 'email' : undefined,
        properties:
          by === 'id' ? [...account.propertiesFor(selection), MERGED_IDS] : account.propertiesFor(selection),
        inputs: inputs.map((id) => ({ id })),
      },
    });
  } catch (error) {
    // Documented is 207 with the missing ones named; some have seen this where all of a batch are missing.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

interface Question {
  /** Each once: HubSpot refuses a batch with a repeated input. */
  readonly inputs: readonly string[];
  readonly by: 'id' | 'email';
  readonly selection: FieldSelection;
}
