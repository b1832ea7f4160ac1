import type { CustomerAccount } from '../../domain/provider.ts';
import type { LinkRequest, LinksById, RecordLink } from '../../domain/records/link.ts';
import type { RecordType } from '../../domain/records/record-type.ts';
import { isRecord } from '../../lib/json.ts';
import { getAll, V2 } from './call.ts';
import { COMPANY_OBJECT } from './companies.ts';
import { CONTACT_OBJECT } from './contacts.ts';
import { DEAL_OBJECT } from './deals.ts';
import { readByIds } from './lookups.ts';
import { isRecordId } from './object.ts';
import { toId } from './values.ts';

/**
 * A person belongs to one organization, and a deal to one person and one organization, whose ids they have. In the other
 * direction a list has the records of one, which costs a call for each.
 */
export async function findLinks(
  account: CustomerAccount,
  from: RecordType,
  { to, ids }: LinkRequest,
): Promise<LinksById> {
  const found = new Map<string, readonly RecordLink[]>(ids.map((id) => [id, []]));
  const known = [...found.keys()].filter(isRecordId);
  const reference = REFERENCES[from][to];
  if (reference !== undefined) {
    for (const record of await readByIds(account, OBJECTS[from], known)) {
      if (!isRecord(record) || record['is_deleted'] === true) continue;
      const [id, linked] = [toId(record), toId(record[reference])];
      if (id !== null && linked !== null && found.has(id))
        found.set(id, [{ remoteId: linked, isPrimary: true }]);
    }
    return found;
  }
  const name = REFERENCES[to][from];
  if (name === undefined) return found;
  await Promise.all(
    known.map(async (id) => {
      const path = `${V2}/${OBJECTS[to].name}`;
      const records = await getAll(account, path, { query: { [name]: id }, max: MAX_LINKS });
      const linked = records.flatMap((record) => toId(record) ?? []);
      found.set(
        id,
        [...new Set(linked)].map((remoteId) => ({ remoteId, isPrimary: true })),
      );
    }),
  );
  return found;
}

/** The fields, and parameters of lists, with the id of another record. */
const REFERENCES: Readonly<Record<RecordType, Readonly<Partial<Record<RecordType, string>>>>> = {
  CONTACT: { COMPANY: 'org_id' },
  COMPANY: {},
  DEAL: { CONTACT: 'person_id', COMPANY: 'org_id' },
};

const OBJECTS = { CONTACT: CONTACT_OBJECT, COMPANY: COMPANY_OBJECT, DEAL: DEAL_OBJECT } as const;
const MAX_LINKS = 5_000;
