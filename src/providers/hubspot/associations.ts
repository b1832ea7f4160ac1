import type { CustomerAccount } from '../../domain/provider.ts';
import type { RecordType } from '../../domain/records/record-type.ts';
import { chunk } from '../../lib/batcher.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import {
  askForKnown,
  OBJECTS,
  paginationLimitError,
  parseResponse,
  toResults,
  toUnknownShape,
  wirePaging,
} from './call.ts';
import { COMPANY_OBJECT } from './companies.ts';
import { CONTACT_OBJECT } from './contacts.ts';
import { DEAL_OBJECT } from './deals.ts';
import { isRecordId } from './object.ts';

/** The objects as paths name them. */
export const OBJECT_NAMES: Readonly<Record<RecordType, string>> = {
  CONTACT: CONTACT_OBJECT.name,
  COMPANY: COMPANY_OBJECT.name,
  DEAL: DEAL_OBJECT.name,
};

/** The records of another object that each of these is associated with, and whether it is the primary one. */
export async function readAssociations(
  account: CustomerAccount,
  { from, to }: ObjectPair,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, IsPrimary>>> {
  const found = new Map(ids.map((id) => [id, new Map<string, IsPrimary>()]));
  const path = `${OBJECTS.associations}/${from}/${to}/batch/read`;
  let inputs: readonly Input[] = [...found.keys()].filter(isRecordId).map((id) => ({ id }));
  for (let round = 0; inputs.length > 0; round += 1) {
    if (round === MAX_ROUNDS)
      throw paginationLimitError(
        `list of associations (${to}) did not end within ${MAX_ROUNDS} pages`,
      );
    const read = chunk(inputs, BATCH).map((batch) => readBatch(account, path, batch));
    const next: Input[] = [];
    for (const { id, targets, next: after } of (await Promise.all(read)).flat()) {
      const linked = found.get(id);
      // A record may be listed once per association type.
      for (const target of targets)
        linked?.set(target.remoteId, target.isPrimary || linked.get(target.remoteId) === true);
      if (linked && after) next.push({ id, after });
    }
    inputs = next;
  }
  return found;
}

async function readBatch(account: CustomerAccount, path: string, inputs: readonly Input[]) {
  const answer = await askForKnown(account, path, { inputs }, 'associations');
  const links: Link[] = [];
  for (const record of answer ? parseResponse(toResults, answer) : []) {
    const link = readLink(record);
    if (answer && !link) throw toUnknownShape(answer);
    if (link) links.push(link);
  }
  return links;
}

/**
 * HubSpot's own types of the primary company: of a contact in both directions, and of a deal in both. Types of the
 * portal have other numbers.
 */
const PRIMARY: ReadonlySet<unknown> = new Set([1, 2, 5, 6]);

const BATCH = 1_000;
const ASSOCIATIONS_PER_PAGE = 500;
/** No real record has this many pages of associations. */
const MAX_ROUNDS = 40;

/** By hand: a schema takes as long for a hundred records as parsing their JSON. Undefined for another shape. */
function readLink(one: unknown): Link | undefined {
  if (!isRecord(one) || !isRecord(one['from'])) return undefined;
  const id = toText(one['from']['id']);
  const { to = [] } = one;
  if (id === null || (to !== null && !Array.isArray(to))) return undefined;
  const targets: Target[] = [];
  for (const target of (to ?? []).slice(0, ASSOCIATIONS_PER_PAGE) as readonly unknown[]) {
    const remoteId = isRecord(target) ? toText(target['toObjectId']) : null;
    if (!isRecord(target) || remoteId === null) return undefined;
    targets.push({ remoteId, isPrimary: isPrimary(target['associationTypes']) });
  }
  const { paging } = one;
  const next = paging ? (wirePaging.safeParse(paging).data?.next?.after ?? undefined) : undefined;
  return { id, targets, next };
}

function isPrimary(types: unknown): boolean {
  return (
    Array.isArray(types) && types.some((type) => isRecord(type) && PRIMARY.has(type['typeId']))
  );
}

interface Link {
  readonly id: string;
  readonly targets: readonly Target[];
  readonly next: string | undefined;
}

interface Target {
  readonly remoteId: string;
  readonly isPrimary: boolean;
}

type IsPrimary = boolean;

/** As paths name them. */
interface ObjectPair {
  readonly from: string;
  readonly to: string;
}

interface Input {
  readonly id: string;
  readonly after?: string;
}
