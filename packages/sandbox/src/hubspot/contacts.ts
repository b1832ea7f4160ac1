import type { Person } from '../people.ts';
import { normalEmail } from '../people-table.ts';
import { embeddedAssociations } from './associations.ts';
import { emailOf, indexOfRecord, ownerOfEmail } from './contact-view.ts';
import { HubSpotError, invalid, notFound } from './errors.ts';
import { findProperty } from './property-definitions.ts';
import { toHistory, toRecord } from './record.ts';
import { objectBody, textOf, textsOf } from './request-body.ts';
import { readIds } from './simple-objects.ts';
import type { EndpointContext, HubSpotAccount, Reply } from './types.ts';

export function readContact({ account, call, parts }: EndpointContext): Reply {
  const { query } = call.request;
  const isArchived = query.get('archived') === 'true';
  const person = findPerson({
    account,
    id: parts[1] ?? '',
    idProperty: query.get('idProperty'),
    isArchived,
  });
  if (person === undefined) throw notFound();
  const record = toRecord(account, person, requestedProperties(query));
  const history = query.getAll('propertiesWithHistory').flatMap(splitList);
  const associations = embeddedAssociations(
    account,
    { type: 'contact', index: person.index },
    query.getAll('associations').flatMap(splitList),
  );
  return {
    status: 200,
    body: {
      ...record,
      ...(history.length > 0 && { propertiesWithHistory: toHistory(account, person, history) }),
      ...(associations && { associations }),
    },
  };
}

/** Lists contacts by id: `after` is the last id of the previous page, not an offset. */
export function listContacts({ account, call }: EndpointContext): Reply {
  const { query } = call.request;
  const limit = Number(query.get('limit') ?? 10);
  if (!(limit >= 1 && limit <= 100))
    throw invalid(`Invalid limit ${limit}: it has to be between 1 and 100.`);
  const after = indexOfRecord(query.get('after') ?? '') ?? 0;
  const isArchived = query.get('archived') === 'true';
  // A merged contact is not in the list of archived ones: its id leads to the survivor.
  const rest = account.people
    .all()
    .filter(
      ({ index, isDeleted, mergedInto }) =>
        index > after && isDeleted === isArchived && mergedInto === undefined,
    )
    .slice(0, limit + 1);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const next = last && account.recordId(last.index);
  const link = `https://api.hubapi.com${call.request.path}?limit=${limit}&after=${next}`;
  return {
    status: 200,
    body: {
      results: page.map((person) => toRecord(account, person, requestedProperties(query))),
      ...(rest.length > limit && { paging: { next: { after: next, link } } }),
    },
  };
}

export function batchReadContacts({ account, call }: EndpointContext): Reply {
  const body = objectBody(call);
  const isArchived = call.request.query.get('archived') === 'true';
  const idProperty = body['idProperty'] ? textOf(body['idProperty'], 'idProperty') : null;
  const properties = textsOf(body['properties'], 'properties');
  const history = textsOf(body['propertiesWithHistory'], 'propertiesWithHistory') ?? [];
  const ids = readIds(account, body['inputs']);
  const { batchReadRepeatsRecords, batchReadIgnoresAliases } = account.quirks;
  const found: Person[] = [];
  const missing = ids.filter((id) => {
    const person = findPerson({ account, id, idProperty, isArchived });
    const mustBeFirst = batchReadIgnoresAliases && idProperty === 'email';
    if (
      person === undefined ||
      (mustBeFirst && emailOf(account.people, person) !== normalEmail(id))
    )
      return true;
    if (batchReadRepeatsRecords || !found.includes(person)) found.push(person);
    return false;
  });
  if (ids.length > 0 && found.length === 0 && account.quirks.batchReadAllMissingIs404) {
    throw new HubSpotError(404, missingError(missing));
  }
  // In an arbitrary order: the newest first.
  const results = found.sort((one, other) => other.index - one.index);
  const now = new Date(call.now).toISOString();
  return {
    status: missing.length > 0 ? 207 : 200,
    body: {
      status: 'COMPLETE',
      results: results.map((person) => ({
        ...toRecord(account, person, properties),
        ...(history.length > 0 && { propertiesWithHistory: toHistory(account, person, history) }),
      })),
      ...(missing.length > 0 && { numErrors: 1, errors: [missingError(missing)] }),
      startedAt: now,
      completedAt: now,
    },
  };
}

/** One error that lists all missing ids. */
function missingError(ids: readonly string[]) {
  return {
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    message:
      'Could not get some CONTACT objects, they may be deleted or not exist. Check that ids are valid.',
    context: { ids: [...new Set(ids)] },
  };
}

function findPerson({ account, id, idProperty, isArchived }: Lookup): Person | undefined {
  if (idProperty === 'email') return ownerOfEmail(account.people, id, isArchived);
  if (idProperty !== null && idProperty !== 'hs_object_id') {
    const property = findProperty(account, idProperty);
    if (!property?.hasUniqueValue)
      throw invalid(`${idProperty} is not a unique property of CONTACT and cannot name a record.`);
    const { people } = account;
    return people
      .all()
      .find((one) => one.isDeleted === isArchived && property.read(one, account) === id);
  }
  const index = indexOfRecord(id);
  const person = index === undefined ? undefined : survivorOf(account, account.people.get(index));
  return person?.isDeleted === isArchived ? person : undefined;
}

/** Resolves the id of a merged contact to the surviving contact. */
function survivorOf(account: HubSpotAccount, person: Person | undefined): Person | undefined {
  if (person === undefined || person.mergedInto === undefined) return person;
  return survivorOf(account, account.people.get(person.mergedInto));
}

function requestedProperties(query: URLSearchParams): readonly string[] | undefined {
  return query.has('properties') ? query.getAll('properties').flatMap(splitList) : undefined;
}

function splitList(list: string): readonly string[] {
  return list.split(',').map((part) => part.trim());
}

interface Lookup {
  readonly account: HubSpotAccount;
  readonly id: string;
  readonly idProperty: string | null;
  readonly isArchived: boolean;
}
