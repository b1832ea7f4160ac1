import { companyId, companyIndexOf, companyName } from './contact-view.ts';
import { createObjectEndpoints } from './simple-objects.ts';
import type { HubSpotAccount } from './types.ts';

/** The associated companies. They are numbered, and have no properties but their names. */
export const COMPANIES = createObjectEndpoints({
  name: 'COMPANY',
  always: ['createdate', 'hs_lastmodifieddate', 'hs_object_id'],
  defaults: ['name', 'domain'],
  times: ['createdate', 'hs_lastmodifieddate'],
  ids: (account) =>
    Array.from({ length: countCompanies(account) }, (_, place) => companyId(place + 1)),
  read(account, id) {
    const index = companyIndexOf(String(id));
    if (index === undefined || index < 1 || index > countCompanies(account)) return undefined;
    return {
      name: companyName(index),
      domain: `company-${index}.example`,
      hs_object_id: String(id),
      createdate: MADE_AT,
      hs_lastmodifieddate: MADE_AT,
    };
  },
});

function countCompanies({ people }: HubSpotAccount): number {
  return people
    .all()
    .reduce(
      (max, person) => Math.max(max, person.companyIndex ?? 0, ...person.otherCompanyIndexes),
      0,
    );
}

const MADE_AT = '2022-01-03T08:00:00.000Z';
