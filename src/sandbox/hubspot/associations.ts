import type { Person } from '../people.ts';
import { companyId, dealId, indexOfRecord, ticketId } from './contact-view.ts';
import { objectTypeOf } from './object-types.ts';
import { invalid, notFound } from './refusal.ts';
import { isObject, listOf, objectBody, textOf } from './request-body.ts';
import type { HubSpotAccount, Reply, Visit } from './types.ts';

/** What a batch of contacts is linked to. Ids come back as texts on one side and as numbers on the other. */
export function batchReadAssociations({ account, call, parts }: Visit): Reply {
  const to = targetOf(parts);
  const inputs = listOf(objectBody(call)['inputs'], 'inputs');
  if (inputs.length > 1_000)
    throw invalid(`Too many inputs: ${inputs.length}. At most 1000 records at once.`);
  const ids = [...new Set(inputs.map((input) => textOf(isObject(input) ? input['id'] : undefined, 'id')))];
  const rows = ids.map((id) => ({ id, links: linksOf(personOf(account, id), to) }));
  const linked = rows.filter((row) => row.links.length > 0);
  const errors = rows.filter((row) => row.links.length === 0).map((row) => noneError(row.id, to));
  const now = new Date(call.now).toISOString();
  return {
    status: errors.length > 0 ? 207 : 200,
    body: {
      status: 'COMPLETE',
      results: linked.map((row) => ({ from: { id: row.id }, to: row.links })),
      ...(errors.length > 0 && { numErrors: errors.length, errors }),
      startedAt: now,
      completedAt: now,
    },
  };
}

export function listAssociations({ account, parts }: Visit): Reply {
  const [from = '', id = '', to = ''] = parts;
  const person = personOf(account, id);
  if (person === undefined) throw notFound();
  return { status: 200, body: { results: linksOf(person, targetOf([from, to])) } };
}

/** The form that a single contact's answer carries them in. */
export function embeddedAssociations(person: Person, wanted: readonly string[]): object | undefined {
  const entries = wanted.flatMap((name) => {
    const to = objectTypeOf(name);
    const links = to === undefined || to.name === 'contact' ? [] : linksOf(person, to.name);
    if (to === undefined || links.length === 0) return [];
    const type = `contact_to_${to.name}`;
    return [[to.plural, { results: links.map((link) => ({ id: String(link.toObjectId), type })) }]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function targetOf([from = '', to = '']: readonly string[]): Target {
  const target = objectTypeOf(to)?.name;
  if (objectTypeOf(from)?.name !== 'contact') throw invalid(`Unable to infer object type from: ${from}`);
  if (target === undefined || target === 'contact') throw invalid(`Unable to infer object type from: ${to}`);
  return target;
}

function linksOf(person: Person | undefined, to: Target): readonly Link[] {
  if (person === undefined) return [];
  if (to === 'deal') return person.dealIndexes.map((index) => link(dealId(index), [4]));
  if (to === 'ticket') return person.ticketIndexes.map((index) => link(ticketId(index), [15]));
  // The primary company does not come first: it has to be told by its type.
  return [
    ...person.otherCompanyIndexes.map((index) => link(companyId(index), [279])),
    ...(person.companyIndex === null ? [] : [link(companyId(person.companyIndex), [279, 1])]),
  ];
}

function link(toObjectId: number, typeIds: readonly number[]): Link {
  return {
    toObjectId,
    associationTypes: typeIds.map((typeId) => ({
      category: 'HUBSPOT_DEFINED',
      typeId,
      label: typeId === 1 ? 'Primary' : null,
    })),
  };
}

function noneError(id: string, to: Target): object {
  return {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
    message: `No ${to} is associated with contact ${id}.`,
    context: { fromObjectId: [id], fromObjectType: ['contact'], toObjectType: [to] },
  };
}

function personOf(account: HubSpotAccount, id: string): Person | undefined {
  const index = indexOfRecord(id);
  const person = index === undefined ? undefined : account.people.get(index);
  return person?.isDeleted ? undefined : person;
}

type Target = 'company' | 'deal' | 'ticket';

interface Link {
  readonly toObjectId: number;
  readonly associationTypes: readonly object[];
}
