import type { Person } from '../people.ts';
import { companyId, dealId, indexOfRecord, ticketId } from './contact-view.ts';
import { invalid, notFound } from './errors.ts';
import { isLead, leadId } from './leads.ts';
import { objectTypeOf } from './object-types.ts';
import { isObject, listOf, objectBody, textOf } from './request-body.ts';
import type { EndpointContext, HubSpotAccount, Reply } from './types.ts';

/** The associations of a batch of contacts. Ids are strings on one side and numbers on the other. */
export function batchReadAssociations({ account, call, parts }: EndpointContext): Reply {
  const to = targetOf(parts);
  const inputs = listOf(objectBody(call)['inputs'], 'inputs');
  if (inputs.length > 1_000)
    throw invalid(`Too many inputs: ${inputs.length}. At most 1000 records at once.`);
  const pages = new Map(
    inputs.map(readInput).map((input) => [`${input.id} ${input.after}`, input]),
  );
  const rows = [...pages.values()].map(({ id, after }) => {
    const links = linksOf(account, personOf(account, id), to);
    return { id, isLinked: links.length > 0, page: toPage(links, { account, call, to, after }) };
  });
  const linked = rows.filter((row) => row.isLinked);
  const errors = rows.filter((row) => !row.isLinked).map((row) => noneError(row.id, to));
  const now = new Date(call.now).toISOString();
  return {
    status: errors.length > 0 ? 207 : 200,
    body: {
      status: 'COMPLETE',
      results: linked.map(({ id, page: { results, paging } }) => ({
        from: { id },
        to: results,
        ...(paging && { paging }),
      })),
      ...(errors.length > 0 && { numErrors: errors.length, errors }),
      startedAt: now,
      completedAt: now,
    },
  };
}

export function listAssociations({ account, call, parts }: EndpointContext): Reply {
  const [from = '', id = '', to = ''] = parts;
  const person = personOf(account, id);
  if (person === undefined) throw notFound();
  const target = targetOf([from, to]);
  const { query } = call.request;
  const links = linksOf(account, person, target);
  const limit = Number(query.get('limit') ?? account.quirks.associationPageSize);
  const page = toPage(links, { account, call, to: target, after: query.get('after') ?? '', limit });
  return { status: 200, body: page };
}

function readInput(input: unknown): { readonly id: string; readonly after: string } {
  const { id, after } = isObject(input) ? input : {};
  return {
    id: textOf(id, 'id'),
    after: after === undefined || after === null ? '' : textOf(after, 'after'),
  };
}

/** A page of associations after the cursor `after`, which is base64 or base64url. */
function toPage(links: readonly Link[], { account, call, to, after, limit }: PageOptions): Page {
  const size = Math.min(
    limit ?? account.quirks.associationPageSize,
    account.quirks.associationPageSize,
  );
  const start = 1 + links.findIndex(({ toObjectId }) => toCursor(to, toObjectId) === after);
  if (after !== '' && start === 0) throw invalid(`Invalid paging token: ${after}`);
  const results = links.slice(start, start + size);
  const last = results.at(-1);
  if (last === undefined || start + size >= links.length) return { results };
  const next = toCursor(to, last.toObjectId);
  const link = `https://api.hubapi.com${call.request.path}?after=${next}`;
  return { results, paging: { next: { after: next, link } } };
}

function toCursor(to: Target, toObjectId: number): string {
  const text = `${objectTypeOf(to)?.id}-${toObjectId}`;
  return encodeURIComponent(Buffer.from(text).toString('base64'));
}

/** The format of associations embedded in a single contact. */
export function embeddedAssociations(
  account: HubSpotAccount,
  person: Person,
  requested: readonly string[],
): object | undefined {
  const entries = requested.flatMap((name) => {
    const to = objectTypeOf(name);
    const links =
      to === undefined || to.name === 'contact' ? [] : linksOf(account, person, to.name);
    if (to === undefined || links.length === 0) return [];
    const type = `contact_to_${to.name}`;
    return [[to.plural, { results: links.map((link) => ({ id: String(link.toObjectId), type })) }]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function targetOf([from = '', to = '']: readonly string[]): Target {
  const target = objectTypeOf(to)?.name;
  if (objectTypeOf(from)?.name !== 'contact')
    throw invalid(`Unable to infer object type from: ${from}`);
  if (target === undefined || target === 'contact')
    throw invalid(`Unable to infer object type from: ${to}`);
  return target;
}

function linksOf(
  { quirks }: HubSpotAccount,
  person: Person | undefined,
  to: Target,
): readonly Link[] {
  if (person === undefined) return [];
  if (to === 'deal') return person.dealIndexes.map((index) => link(dealId(index), [4]));
  if (to === 'ticket') return person.ticketIndexes.map((index) => link(ticketId(index), [15]));
  if (to === 'lead') return isLead(person) ? [link(leadId(person.index), [579])] : [];
  // The primary company is not first: clients must recognize it by its type.
  return [
    ...person.otherCompanyIndexes.map((index) =>
      labelled(link(companyId(index), [279]), quirks.associationLabel),
    ),
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

/** Adds a label of the portal. */
function labelled({ toObjectId, associationTypes }: Link, label: string | null): Link {
  const own = label === null ? [] : [{ category: 'USER_DEFINED', typeId: OWN_LABEL, label }];
  return { toObjectId, associationTypes: [...own, ...associationTypes] };
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

const OWN_LABEL = 36;

interface PageOptions extends Pick<EndpointContext, 'account' | 'call'> {
  readonly to: Target;
  /** Empty: from the start. */
  readonly after: string;
  readonly limit?: number;
}

interface Page {
  readonly results: readonly Link[];
  readonly paging?: { readonly next: { readonly after: string; readonly link: string } };
}

type Target = 'company' | 'deal' | 'ticket' | 'lead';

interface Link {
  readonly toObjectId: number;
  readonly associationTypes: readonly object[];
}
