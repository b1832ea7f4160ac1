import type { CustomerAccount } from '../../domain/provider.ts';
import type { LinkWriter } from '../../domain/writing.ts';
import { groupLinks, HOLDS_ONE, type PairName, toLinkWrite } from '../link-writes.ts';
import { CONTACT_OBJECT } from './contacts.ts';
import { DEAL_OBJECT } from './deals.ts';
import { createWriter } from './writes.ts';

/** A person has the id of its organization, and a deal those of its person and its organization. */
export function createLinkWriter(account: CustomerAccount): LinkWriter {
  return {
    rulesOf: async ({ from, to }) =>
      from === 'DEAL' && to === 'CONTACT' ? { ...HOLDS_ONE, hint: PARTICIPANTS } : HOLDS_ONE,

    async send(links, options) {
      for (const [pair, verb, some] of groupLinks(links)) {
        const { object, field, type } = REFERENCES[pair];
        const writes = some.map((link) => ({
          ...toLinkWrite(link, link.from.remoteId, {
            [field]: verb === 'link' ? link.to.remoteId : null,
          }),
          wireTypes: new Map([[field, type]]),
        }));
        const writer =
          object === 'CONTACT'
            ? createWriter(account, CONTACT_OBJECT, NO_FIELDS)
            : createWriter(account, DEAL_OBJECT, NO_FIELDS);
        await writer.send(writes, options);
      }
    },
  };
}

const PARTICIPANTS = 'Further participants of a deal cannot be written.';
const NO_FIELDS = { fields: {}, keyField: null };

const REFERENCES = {
  'CONTACT COMPANY': { object: 'CONTACT', field: 'org_id', type: 'org' },
  'DEAL COMPANY': { object: 'DEAL', field: 'org_id', type: 'org' },
  'DEAL CONTACT': { object: 'DEAL', field: 'person_id', type: 'people' },
} as const satisfies Readonly<Record<PairName, object>>;
