import type { AssociatedObject, Association } from '../../domain/contact.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { chunk } from '../../lib/chunk.ts';
import type { HubSpotAccount } from './account.ts';
import { isNotFound, isRecordId, PATHS, understand } from './call.ts';
import { toLinks, type WireAssociations } from './contacts.ts';

export async function findAssociations(
  account: HubSpotAccount,
  ids: readonly string[],
  object: AssociatedObject,
): Promise<ReadonlyMap<string, readonly Association[]>> {
  const found = new Map(ids.map((id) => [id, new Set<string>()]));
  let inputs: readonly Input[] = [...found.keys()].filter(isRecordId).map((id) => ({ id }));
  for (let round = 0; inputs.length > 0; round += 1) {
    if (round === MAX_ROUNDS) throw endless(object);
    const answers = await Promise.all(chunk(inputs, BATCH).map((batch) => readBatch(account, batch, object)));
    inputs = answers.flat().flatMap((result) => collect(found, result));
  }
  return new Map([...found].map(([id, linked]) => [id, toAssociations(linked, object)]));
}

/** Takes what one contact's answer holds, and says what is left to ask: the next page of the same contact. */
function collect(found: Linked, { from, to, paging }: Result): readonly Input[] {
  const linked = found.get(from.id);
  if (linked === undefined) return [];
  // One company is named once for each kind of link.
  for (const { toObjectId } of to ?? []) linked.add(toObjectId);
  const after = paging?.next?.after;
  return after ? [{ id: from.id, after }] : [];
}

async function readBatch(
  account: HubSpotAccount,
  inputs: readonly Input[],
  object: AssociatedObject,
): Promise<readonly Result[]> {
  try {
    const path = ASSOCIATION_PATHS[object];
    const answer = await account.ask({ path, budget: 'general', body: { inputs } });
    return understand(toLinks, answer).results;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function toAssociations(linked: ReadonlySet<string>, object: AssociatedObject): readonly Association[] {
  return [...linked].map((remoteId) => ({ object, remoteId }));
}

function endless(object: AssociatedObject): CrossbookError {
  return new CrossbookError(
    'REMOTE_PROVIDER_BAD_RESPONSE',
    `HubSpot’s list of associations (${object}) did not end within ${MAX_ROUNDS} pages.`,
    { origin: 'remote-provider' },
  );
}

const BATCH = 1_000;
/** A page holds 500: whoever has more links than this is not a person. */
const MAX_ROUNDS = 40;

const ASSOCIATION_PATHS: Readonly<Record<AssociatedObject, string>> = {
  company: PATHS.companies,
  deal: PATHS.deals,
  ticket: PATHS.tickets,
};

type Result = WireAssociations['results'][number];
type Linked = ReadonlyMap<string, Set<string>>;

interface Input {
  readonly id: string;
  readonly after?: string;
}
