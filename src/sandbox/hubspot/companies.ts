import type { Call } from '../imitation.ts';
import { companyId, companyIndexOf, companyName } from './contact-view.ts';
import { invalid, notFound } from './errors.ts';
import { isObject, listOf, objectBody, textOf, textsOf } from './request-body.ts';
import type { EndpointContext, HubSpotAccount, HubSpotTypes, Reply } from './types.ts';

/** The associated companies. They are numbered, and have no properties but their names. */
export function listCompanies({ account, call }: EndpointContext): Reply {
  const { query } = call.request;
  const limit = Number(query.get('limit') ?? 10);
  if (!(limit >= 1 && limit <= 100))
    throw invalid(`Invalid limit ${limit}: it has to be between 1 and 100.`);
  const after = companyIndexOf(query.get('after') ?? '') ?? 0;
  const page = Array.from({ length: limit }, (_, place) => after + 1 + place).filter((index) =>
    hasCompany(account, index),
  );
  const last = page.at(-1);
  const isMore = last !== undefined && hasCompany(account, last + 1);
  return {
    status: 200,
    body: {
      results: page.map((index) => toCompany(index, requestedProperties(call))),
      ...(isMore && { paging: { next: { after: String(companyId(last)) } } }),
    },
  };
}

export function readCompany({ account, call, parts }: EndpointContext): Reply {
  const index = companyIndexOf(parts[0] ?? '');
  if (index === undefined || !hasCompany(account, index)) throw notFound();
  return { status: 200, body: toCompany(index, requestedProperties(call)) };
}

export function batchReadCompanies({ account, call }: EndpointContext): Reply {
  const body = objectBody(call);
  const ids = listOf(body['inputs'], 'inputs').map((input) =>
    textOf(isObject(input) ? input['id'] : undefined, 'id'),
  );
  if (ids.length > 100)
    throw invalid(`Too many inputs: ${ids.length}. At most 100 records can be read at once.`);
  const requested = textsOf(body['properties'], 'properties');
  const found = new Set(
    ids.flatMap((id) => companyIndexOf(id) ?? []).filter((index) => hasCompany(account, index)),
  );
  const missing = ids.filter((id) => !found.has(companyIndexOf(id) ?? 0));
  const now = new Date(call.now).toISOString();
  const error = {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    context: { ids: missing },
    message:
      'Could not get some COMPANY objects, they may be deleted or not exist. Check that ids are valid.',
  };
  return {
    status: missing.length > 0 ? 207 : 200,
    body: {
      status: 'COMPLETE',
      results: [...found].map((index) => toCompany(index, requested)),
      ...(missing.length > 0 && { numErrors: 1, errors: [error] }),
      startedAt: now,
      completedAt: now,
    },
  };
}

function hasCompany({ people }: HubSpotAccount, index: number): boolean {
  const most = people
    .all()
    .reduce(
      (max, person) => Math.max(max, person.companyIndex ?? 0, ...person.otherCompanyIndexes),
      0,
    );
  return index >= 1 && index <= most;
}

function toCompany(index: number, requested: readonly string[] = ['name', 'domain']): object {
  const all: Readonly<Record<string, string>> = {
    name: companyName(index),
    domain: `company-${index}.example`,
    hs_object_id: String(companyId(index)),
    createdate: MADE_AT,
    hs_lastmodifieddate: MADE_AT,
  };
  const names = [...new Set(['createdate', 'hs_lastmodifieddate', 'hs_object_id', ...requested])];
  const properties = Object.fromEntries(
    names.flatMap((name) => (name in all ? [[name, all[name]]] : [])),
  );
  const { hs_object_id: id } = all;
  return { id, properties, createdAt: MADE_AT, updatedAt: MADE_AT, archived: false };
}

function requestedProperties({
  request: { query },
}: Call<HubSpotTypes>): readonly string[] | undefined {
  return query.has('properties')
    ? query.getAll('properties').flatMap((list) => list.split(','))
    : undefined;
}

const MADE_AT = '2022-01-03T08:00:00.000Z';
