import type { Json, TestApp } from './open-app.ts';
import { openWritable } from './write-contacts.ts';

const RESULT = `write { id isReplayed isComplete } results { index outcome
  problems { code message field existingRemoteIds isRetryable } warnings { code existingRemoteIds } }`;
export const LINK = `mutation ($input: LinkRecordsInput!) { linkRecords(input: $input) { ${RESULT} } }`;
export const UNLINK = `mutation ($input: UnlinkRecordsInput!) { unlinkRecords(input: $input) { ${RESULT} } }`;

/** A customer with contacts that have no links, and companies and deals, whose connection may be written to. */
export async function openLinkable(
  crossbook: TestApp,
  {
    provider,
    customerId,
    contacts = 2,
    records = ['contact', 'company', 'deal'],
  }: {
    readonly provider: 'hubspot' | 'salesforce' | 'pipedrive';
    readonly customerId: string;
    readonly contacts?: number;
    readonly records?: readonly string[];
  },
) {
  const opened = await openWritable(crossbook, { provider, customerId, people: [], records });
  const { account, run } = opened;
  const contactIds = Array.from({ length: contacts }, (_, index) =>
    account.addPerson({ lastName: `L${index}`, email: `l${index}@links.example` }),
  );
  const idsOf = (kind: 'company' | 'deal') =>
    ['One', 'Two', 'Three'].map((name) => account.addRecord(kind, { name }));
  const ids = { CONTACT: contactIds, COMPANY: idsOf('company'), DEAL: idsOf('deal') };
  const end = (record: RecordType, place: number) => ({
    record,
    remoteId: ids[record][place] ?? '',
  });
  return {
    ...opened,
    ids,
    end,
    /** `CONTACT 0 COMPANY 1`, with an exclamation mark if it is to be the primary one. */
    toLink(text: string) {
      const [from, one, to, other = ''] = text.split(' ');
      return {
        from: end(from as RecordType, Number(one)),
        to: end(to as RecordType, Number.parseInt(other, 10)),
        ...(other.endsWith('!') && { isPrimary: true }),
      };
    },
    link: (links: readonly object[], more: object = {}): Promise<Json> =>
      run(LINK, { links, ...more }),
    unlink: (links: readonly object[], more: object = {}): Promise<Json> =>
      run(UNLINK, { links, ...more }),
    /** What a record is linked to in the CRM, by place, with an exclamation mark for the primary one. */
    linksOf(from: RecordType, place: number, to: RecordType): readonly string[] {
      const index = (type: RecordType, id: string) =>
        type === 'CONTACT' ? contactIds.indexOf(id) : ids[type].indexOf(id);
      const kinds = { CONTACT: 'contact', COMPANY: 'company', DEAL: 'deal' } as const;
      const all = account.links.find(kinds[from], indexIn(from, place), kinds[to]);
      return all
        .map(({ index: found, isPrimary }) => {
          const id =
            to === 'CONTACT'
              ? (contactIds[found - 1] ?? '')
              : account.idOfRecord(kinds[to] as 'company', found);
          return `${index(to, id)}${isPrimary ? '!' : ''}`;
        })
        .sort();
    },
  };

  /** The sandbox's own number of a record. */
  function indexIn(type: RecordType, place: number): number {
    if (type === 'CONTACT') return place + 1;
    const all = account.records.all(type === 'COMPANY' ? 'company' : 'deal');
    return all.at(place - 3)?.index ?? 0;
  }
}

type RecordType = 'CONTACT' | 'COMPANY' | 'DEAL';
