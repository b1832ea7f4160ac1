import type { LinkedKind } from '../links.ts';
import type { Person } from '../people.ts';
import { indexOfRecord, recordId, ticketId } from './contact-view.ts';
import { invalid, notFound } from './errors.ts';
import { isLead, leadId } from './leads.ts';
import { type ObjectType, objectTypeOf } from './object-types.ts';
import { FIRST_IDS } from './record-properties.ts';
import { isObject, listOf, objectBody, textOf } from './request-body.ts';
import type { EndpointContext, HubSpotAccount, Reply } from './types.ts';

/** The associations of a batch of records. Ids are strings on one side and numbers on the other. */
export function batchReadAssociations({ account, call, parts }: EndpointContext): Reply {
  const pair = pairOf(parts);
  const inputs = listOf(objectBody(call)['inputs'], 'inputs');
  if (inputs.length > 1_000)
    throw invalid(`Too many inputs: ${inputs.length}. At most 1000 records at once.`);
  const pages = new Map(
    inputs.map(readInput).map((input) => [`${input.id} ${input.after}`, input]),
  );
  const rows = [...pages.values()].map(({ id, after }) => {
    const links = linksOf(
      account,
      { type: pair.from.name, index: indexOf(pair.from, id) },
      pair.to,
    );
    const page = toPage(links, { account, call, to: pair.to, after });
    return { id, isLinked: links.length > 0, page };
  });
  const linked = rows.filter((row) => row.isLinked);
  const errors = rows.filter((row) => !row.isLinked).map((row) => noneError(row.id, pair));
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
  const pair = pairOf([from, to]);
  const end = { type: pair.from.name, index: indexOf(pair.from, id) };
  if (!exists(account, end)) throw notFound();
  const { query } = call.request;
  const limit = Number(query.get('limit') ?? account.quirks.associationPageSize);
  const after = query.get('after') ?? '';
  const page = toPage(linksOf(account, end, pair.to), { account, call, to: pair.to, after, limit });
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

function toCursor({ id }: ObjectType, toObjectId: number): string {
  return encodeURIComponent(Buffer.from(`${id}-${toObjectId}`).toString('base64'));
}

/** The format of associations embedded in a single record. */
export function embeddedAssociations(
  account: HubSpotAccount,
  from: End,
  requested: readonly string[],
): object | undefined {
  const entries = requested.flatMap((name) => {
    const to = objectTypeOf(name);
    const links =
      to === undefined || !(to.name in TYPES[from.type]) ? [] : linksOf(account, from, to);
    if (to === undefined || links.length === 0) return [];
    const type = `${from.type}_to_${to.name}`;
    return [[to.plural, { results: links.map((link) => ({ id: String(link.toObjectId), type })) }]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

export function pairOf([from = '', to = '']: readonly string[]): Pair {
  const [source, target] = [objectTypeOf(from), objectTypeOf(to)];
  if (source === undefined || !isSource(source))
    throw invalid(`Unable to infer object type from: ${from}`);
  if (target === undefined || !(target.name in TYPES[source.name]))
    throw invalid(`Unable to infer object type from: ${to}`);
  return { from: source, to: target };
}

function isSource(type: ObjectType): type is Pair['from'] {
  return type.name in TYPES;
}

function linksOf(account: HubSpotAccount, from: End, to: ObjectType): readonly Link[] {
  const types = TYPES[from.type][to.name];
  if (types === undefined || !exists(account, from)) return [];
  if (!isLinked(to.name)) {
    const person = account.people.get(from.index);
    return (person ? readOthers(person, to.name) : []).map((id) => toLink(id, types, false));
  }
  const target = to.name;
  return account.links.find(from.type, from.index, target).map(({ index, isPrimary }) => {
    const found = toLink(idOf(target, index), types, isPrimary);
    return isPrimary || types.label === undefined ? found : labelled(found, account, types.label);
  });
}

export function isLinked(name: ObjectType['name']): name is LinkedKind {
  return name === 'contact' || name === 'company' || name === 'deal';
}

/** Associations that contacts only have. */
function readOthers(person: Person, to: ObjectType['name']): readonly number[] {
  if (to === 'ticket') return person.ticketIndexes.map(ticketId);
  return isLead(person) ? [leadId(person.index)] : [];
}

/** A primary association has both types. */
function toLink(toObjectId: number, { typeId, primary }: LinkTypes, isPrimary: boolean): Link {
  const typeIds = isPrimary && primary !== undefined ? [typeId, primary] : [typeId];
  return {
    toObjectId,
    associationTypes: typeIds.map((id) => ({
      category: 'HUBSPOT_DEFINED',
      typeId: id,
      label: id === primary ? 'Primary' : null,
    })),
  };
}

/** Adds a label of the portal. */
function labelled(
  { toObjectId, associationTypes }: Link,
  { quirks: { associationLabel: label } }: HubSpotAccount,
  typeId: number,
): Link {
  const own = label === null ? [] : [{ category: 'USER_DEFINED', typeId, label }];
  return { toObjectId, associationTypes: [...own, ...associationTypes] };
}

function noneError(id: string, { from, to }: Pair): object {
  return {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
    message: `No ${to.name} is associated with ${from.name} ${id}.`,
    context: { fromObjectId: [id], fromObjectType: [from.name], toObjectType: [to.name] },
  };
}

export function exists({ people, records }: HubSpotAccount, { type, index }: End): boolean {
  const record = type === 'contact' ? people.get(index) : records.get(type, index);
  return record?.isDeleted === false;
}

export function idOf(type: LinkedKind, index: number): number {
  return type === 'contact' ? Number(recordId(index)) : FIRST_IDS[type] + index;
}

export function indexOf({ name }: Pair['from'], id: string): number {
  if (name === 'contact') return indexOfRecord(id) ?? 0;
  return /^\d{1,15}$/.test(id) ? Number(id) - FIRST_IDS[name] : 0;
}

/** The types of associations, by the objects from and to which they lead. */
export const TYPES: Readonly<
  Record<LinkedKind, Readonly<Partial<Record<ObjectType['name'], LinkTypes>>>>
> = {
  contact: {
    company: { typeId: 279, primary: 1, label: 36 },
    deal: { typeId: 4 },
    ticket: { typeId: 15 },
    lead: { typeId: 579 },
  },
  company: {
    contact: { typeId: 280, primary: 2, label: 37 },
    deal: { typeId: 342, primary: 6 },
  },
  deal: {
    contact: { typeId: 3 },
    company: { typeId: 341, primary: 5 },
  },
};

interface LinkTypes {
  readonly typeId: number;
  readonly primary?: number;
  /** The type of the portal's own label. */
  readonly label?: number;
}

interface End {
  readonly type: LinkedKind;
  readonly index: number;
}

export interface Pair {
  readonly from: Extract<ObjectType, { readonly name: LinkedKind }>;
  readonly to: ObjectType;
}

interface PageOptions extends Pick<EndpointContext, 'account' | 'call'> {
  readonly to: ObjectType;
  /** Empty: from the start. */
  readonly after: string;
  readonly limit?: number;
}

interface Page {
  readonly results: readonly Link[];
  readonly paging?: { readonly next: { readonly after: string; readonly link: string } };
}

interface Link {
  readonly toObjectId: number;
  readonly associationTypes: readonly object[];
}
