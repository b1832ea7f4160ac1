import { normalEmail } from '../people-table.ts';
import { gone, invalid, notFound } from './errors.ts';
import { describeFields, type FieldObject } from './fields.ts';
import { USER_ID } from './identity.ts';
import { listAll, listRecords, searchPage } from './lists.ts';
import { indexOfPerson, OWNERS, ownerId, personId, toPipedriveIndex } from './record-ids.ts';
import type { Endpoint, PipedriveAccount, Reply } from './types.ts';
import {
  emailsOf,
  nameOfPerson,
  PIPELINES,
  SHOWN_STAGES,
  toCompany,
  toDeal,
  toOrganization,
  toPerson,
  type WireRecord,
} from './views.ts';

export const listPersons: Endpoint = (context) => {
  const { account, call } = context;
  // Pages of everyone are many: only those that can be on this one are shown.
  const ids = call.request.query.get('ids')?.split(',');
  const people = ids
    ? ids.flatMap((id) => account.people.get(indexOfPerson(id) ?? 0) ?? [])
    : account.people.all();
  const unique = [...new Set(people)].filter(({ isDeleted }) => !isDeleted);
  return listRecords(
    context,
    'person',
    unique.map((one) => personView(account, one)),
  );
};

/** Views are the same until the people or the quirks change. */
function personView(account: PipedriveAccount, person: Parameters<typeof toPerson>[1]): WireRecord {
  const key = account.quirks;
  const views = cached.get(key) ?? new WeakMap<object, View>();
  cached.set(key, views);
  const version = account.people.version();
  const known = views.get(person);
  if (known?.version === version) return known.view;
  const view = toPerson(account, person);
  views.set(person, { version, view });
  return view;
}

const cached = new WeakMap<object, WeakMap<object, View>>();

export const readPerson: Endpoint = ({ account, parts: [id = ''] }) => {
  const person = account.people.get(indexOfPerson(id) ?? 0);
  if (!person) throw notFound('Person');
  if (person.isDeleted) throw gone('Person');
  return one(toPerson(account, person));
};

/** By email. The index may be late, and may find more than an exact match. */
export const searchPersons: Endpoint = (context) => {
  const { account, call } = context;
  const { query } = call.request;
  const term = readTerm(query);
  if (query.get('fields') !== 'email') throw invalid('Only the field email is simulated.');
  const isExact = query.get('exact_match') === 'true';
  const { searchLagMs, searchMatchesTooMuch } = account.quirks;
  const stale = account.people.staleVersions({ now: call.now, lagMs: searchLagMs });
  const matches = (email: string) =>
    isExact && !searchMatchesTooMuch
      ? normalEmail(email) === term
      : normalEmail(email).includes(term);
  const candidates =
    isExact && !searchMatchesTooMuch && stale.size === 0
      ? [...new Set([...account.people.byEmail(term), ...byWorkEmail(account, term)])].flatMap(
          (index) => account.people.get(index) ?? [],
        )
      : account.people.all();
  const seen = candidates.flatMap((person) =>
    stale.has(person.index) ? (stale.get(person.index) ?? []) : person,
  );
  const hits = seen.filter(
    (person) => !person.isDeleted && emailsOf(person).some(({ value }) => matches(value)),
  );
  // Not in the order of ids.
  const items = hits.reverse().map((person) => ({
    id: personId(person.index),
    type: 'person',
    name: nameOfPerson(person),
    phones: [],
    emails: emailsOf(person).map(({ value }) => value),
    primary_email: emailsOf(person)[0]?.value ?? null,
    visible_to: 3,
    owner: { id: ownerId(person.ownerIndex ?? 1) },
    organization: null,
    custom_fields: [],
    notes: [],
  }));
  return searchPage(context, items);
};

function byWorkEmail({ people }: PipedriveAccount, term: string): readonly number[] {
  const all = people.all();
  let index = workEmails.get(all);
  if (!index) {
    index = new Map();
    for (const { index: at, workEmail } of all)
      if (workEmail) {
        const key = normalEmail(workEmail);
        index.set(key, [...(index.get(key) ?? []), at]);
      }
    workEmails.set(all, index);
  }
  return index.get(term) ?? [];
}

const workEmails = new WeakMap<object, Map<string, readonly number[]>>();

function readTerm(query: URLSearchParams): string {
  const term = normalEmail(query.get('term') ?? '');
  const least = query.get('exact_match') === 'true' ? 1 : 2;
  if (term.length >= least) return term;
  throw invalid(`term must have at least ${least} characters`);
}

export const listOrganizations: Endpoint = (context) =>
  listRecords(context, 'organization', organizationsOf(context.account));

function organizationsOf(account: PipedriveAccount): readonly WireRecord[] {
  return account.records
    .all('company')
    .filter(({ isDeleted }) => !isDeleted)
    .map((record) => toOrganization(account, record));
}

export const readOrganization: Endpoint = ({ account, parts: [id = ''] }) => {
  const record = account.records.get('company', toPipedriveIndex('company', id));
  if (!record) throw notFound('Organization');
  if (record.isDeleted) throw gone('Organization');
  return one(toOrganization(account, record));
};

/** The status `deleted` lists the deals that were deleted in the last 30 days. */
export const listDeals: Endpoint = (context) => {
  const { account, call } = context;
  const status = call.request.query.get('status')?.split(',');
  const all = account.records.all('deal').map((record) => toDeal(account, record));
  const isWanted = (deal: WireRecord) =>
    deal['is_deleted'] === true
      ? status?.includes('deleted') === true
      : status === undefined || status.includes(String(deal['status']));
  return listRecords(context, 'deal', all.filter(isWanted));
};

export const readDeal: Endpoint = ({ account, parts: [id = ''] }) => {
  const record = account.records.get('deal', toPipedriveIndex('deal', id));
  if (!record) throw notFound('Deal');
  if (record.isDeleted) throw gone('Deal');
  return one(toDeal(account, record));
};

export const listPipelines: Endpoint = (context) => listAll(context, PIPELINES);

export const listStages: Endpoint = (context) => {
  const pipeline = context.call.request.query.get('pipeline_id');
  const stages = SHOWN_STAGES.filter(
    (one) => pipeline === null || String(one['pipeline_id']) === pipeline,
  );
  return listAll(context, stages);
};

export function listFieldsOf(object: FieldObject): Endpoint {
  return (context) => listAll(context, describeFields(context.account, object));
}

/** In API v1: all users at once. The last one has left the company. */
export const listUsers: Endpoint = () => {
  const users = Array.from({ length: OWNERS }, (_, place) => toUser(place + 1));
  return { status: 200, body: { success: true, data: users } };
};

export const readMe: Endpoint = ({ account }) =>
  one({ ...toUser(1), id: USER_ID, ...toCompany(account) });

function toUser(index: number): WireRecord {
  return {
    id: ownerId(index),
    name: `Sam Seller ${index}`,
    email: `user-${index}@sandbox.example`,
    active_flag: index < OWNERS,
    is_admin: index === 1 ? 1 : 0,
  };
}

function one(data: WireRecord): Reply {
  return { status: 200, body: { success: true, data } };
}

interface View {
  readonly version: object;
  readonly view: WireRecord;
}
