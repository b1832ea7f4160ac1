import type { Call } from '../simulation.ts';
import { HubSpotError, invalid, notFound } from './errors.ts';
import { isObject, listOf, objectBody, textOf, textsOf } from './request-body.ts';
import type { Endpoint, HubSpotAccount, HubSpotTypes } from './types.ts';

/** The endpoints that list records, with their archived ones, and read them by id. */
export function createObjectEndpoints(object: SimpleObject): ObjectEndpoints {
  return {
    list({ account, call }) {
      const { query } = call.request;
      const limit = Number(query.get('limit') ?? 10);
      if (!(limit >= 1 && limit <= 100))
        throw invalid(`Invalid limit ${limit}: it has to be between 1 and 100.`);
      const after = Number(query.get('after') ?? 0);
      const isArchived = query.get('archived') === 'true';
      const reader = object.open(account);
      const rest = reader.ids(isArchived).filter((id) => id > after);
      const page = rest.slice(0, limit);
      const requested = requestedProperties(call);
      return {
        status: 200,
        body: {
          results: page.flatMap((id) => reader.show({ id, isArchived, requested }) ?? []),
          ...(rest.length > limit && { paging: { next: { after: String(page.at(-1)) } } }),
        },
      };
    },

    read({ account, call, parts }) {
      const record = object.open(account).show({
        id: Number(parts[0]),
        isArchived: call.request.query.get('archived') === 'true',
        requested: requestedProperties(call),
        associations: call.request.query.getAll('associations').flatMap((list) => list.split(',')),
      });
      if (record === undefined) throw notFound();
      return { status: 200, body: record };
    },

    batchRead({ account, call }) {
      const body = objectBody(call);
      const isArchived = call.request.query.get('archived') === 'true';
      const ids = readIds(account, body['inputs']);
      const idProperty = body['idProperty'] ? textOf(body['idProperty'], 'idProperty') : ID;
      const requested = textsOf(body['properties'], 'properties');
      const reader = object.open(account);
      const toId = (text: string) =>
        idProperty === ID ? Number(text) : reader.findId?.(idProperty, text);
      if (idProperty !== ID && reader.findId === undefined)
        throw invalid(`${idProperty} is not a unique property of ${object.name}.`);
      const found: ShownRecord[] = [];
      const missing: string[] = [];
      for (const text of ids) {
        const id = toId(text);
        const record = id === undefined ? undefined : reader.show({ id, isArchived, requested });
        const isNew =
          account.quirks.batchReadRepeatsRecords || !found.some((one) => one.id === record?.id);
        if (record === undefined) missing.push(text);
        else if (isNew) found.push(record);
      }
      const now = new Date(call.now).toISOString();
      const error = {
        status: 'error',
        category: 'OBJECT_NOT_FOUND',
        context: { ids: missing },
        message: `Could not get some ${object.name} objects, they may be deleted or not exist. Check that ids are valid.`,
      };
      if (ids.length > 0 && found.length === 0 && account.quirks.batchReadAllMissingIs404)
        throw new HubSpotError(404, error);
      return {
        status: missing.length > 0 ? 207 : 200,
        body: {
          status: 'COMPLETE',
          // In an arbitrary order, as contacts have it.
          results: found.reverse(),
          ...(missing.length > 0 && { numErrors: 1, errors: [error] }),
          startedAt: now,
          completedAt: now,
        },
      };
    },
  };
}

/** The ids of a batch, of which there are at most 100. */
export function readIds({ quirks }: HubSpotAccount, inputs: unknown): readonly string[] {
  const ids = listOf(inputs, 'inputs').map((input) =>
    textOf(isObject(input) ? input['id'] : undefined, 'id'),
  );
  if (ids.length > 100)
    throw invalid(`Too many inputs: ${ids.length}. At most 100 records can be read at once.`);
  const twice = ids.filter((id, position) => ids.indexOf(id) !== position);
  if (twice.length > 0 && quirks.batchReadRefusesDuplicates)
    throw invalid(`Duplicate IDs found in batch input: [${twice.join(', ')}].`, {
      context: { ids: twice },
    });
  return ids;
}

export function requestedProperties({
  request: { query },
}: Call<HubSpotTypes>): readonly string[] | undefined {
  return query.has('properties')
    ? query.getAll('properties').flatMap((list) => list.split(','))
    : undefined;
}

const ID = 'hs_object_id';

interface SimpleObject {
  /** As error messages name it: `COMPANY`. */
  readonly name: string;
  open(account: HubSpotAccount): ObjectReader;
}

/** Reads the records of one account for one request. */
export interface ObjectReader {
  /** In ascending order. */
  ids(isArchived: boolean): readonly number[];
  /** Undefined if there is no record with this id. */
  show(asked: Shown): ShownRecord | undefined;
  /** The record with that value of a property, which has to be unique. Absent: no property is. */
  findId?(property: string, value: string): number | undefined;
}

export interface Shown {
  readonly id: number;
  readonly isArchived: boolean;
  /** Absent: the defaults. */
  readonly requested: readonly string[] | undefined;
  /** The types of records whose ids are shown too. */
  readonly associations?: readonly string[];
}

export interface ShownRecord {
  readonly id: string;
  readonly [name: string]: unknown;
}

export type ObjectEndpoints = Readonly<Record<'list' | 'read' | 'batchRead', Endpoint>>;
