import type { LinkEnd } from '../../links.ts';
import { PREFIXES } from '../data/objects.ts';
import { toSalesforceIndex } from '../data/record-table.ts';
import { readRelationId, toRelationId } from '../data/relation-tables.ts';
import { numberOf } from '../values/record-id.ts';
import { badInput } from './api-request.ts';
import type { Named, ObjectWriter } from './object-writer.ts';

/** The contacts of opportunities. Only one of them can be the primary one. */
export const ROLE_WRITER: ObjectWriter = {
  requires: ['OpportunityId', 'ContactId'],
  create({ links }, named) {
    const [contact, deal] = endsOf(named, 'deal', 'OpportunityId');
    const before = links.primaryContactOf(deal.index);
    if (!links.link(contact, deal, false)) throw invalidReference();
    const isPrimary = named.get('IsPrimary') === true;
    links.choosePrimaryContact(deal.index, isPrimary ? contact.index : before);
    return toRelationId(PREFIXES.OpportunityContactRole, {
      person: contact.index,
      index: deal.index,
    });
  },
  change({ links }, id, named) {
    const { person, index } = readRelationId(PREFIXES.OpportunityContactRole, id);
    const isPrimary = named.get('IsPrimary');
    if (isPrimary === true) links.choosePrimaryContact(index, person);
    else if (isPrimary === false && links.primaryContactOf(index) === person)
      links.choosePrimaryContact(index, null);
  },
  remove({ links }, id) {
    const { person, index } = readRelationId(PREFIXES.OpportunityContactRole, id);
    links.unlink({ kind: 'contact', index: person }, { kind: 'deal', index });
  },
};

/** The accounts of contacts. The contact's own is written as its `AccountId`. */
export const RELATION_WRITER: ObjectWriter = {
  requires: ['AccountId', 'ContactId'],
  create({ links }, named) {
    const [contact, company] = endsOf(named, 'company', 'AccountId');
    if (links.primaryCompanyOf('contact', contact.index) === null)
      throw badInput(
        'A contact without an account cannot have other accounts.',
        'FIELD_INTEGRITY_EXCEPTION',
      );
    if (!links.link(contact, company, false)) throw invalidReference();
    return toRelationId(PREFIXES.AccountContactRelation, {
      person: contact.index,
      index: company.index,
    });
  },
  change: () => undefined,
  remove({ links }, id) {
    const { person, index } = readRelationId(PREFIXES.AccountContactRelation, id);
    if (links.primaryCompanyOf('contact', person) === index)
      throw badInput('The direct relation cannot be deleted.', 'FIELD_INTEGRITY_EXCEPTION');
    links.unlink({ kind: 'contact', index: person }, { kind: 'company', index });
  },
};

function endsOf(
  named: Named,
  kind: 'company' | 'deal',
  column: string,
): readonly [LinkEnd, LinkEnd] {
  const contact = numberOf(String(named.get('ContactId')).slice(0, 15), PREFIXES.Contact) ?? 0;
  const index = toSalesforceIndex(kind, String(named.get(column)));
  return [
    { kind: 'contact', index: contact },
    { kind, index },
  ];
}

function invalidReference() {
  return badInput('invalid cross reference id', 'INVALID_CROSS_REFERENCE_KEY');
}
