import type { Call } from '../imitation.ts';
import { invalid, notFound } from './errors.ts';
import { isObject, listOf, objectBody, textOf, textsOf } from './request-body.ts';
import type { Endpoint, EndpointContext, HubSpotAccount, HubSpotTypes, Reply } from './types.ts';

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
      const rest = object.ids(account, isArchived).filter((id) => id > after);
      const page = rest.slice(0, limit);
      return {
        status: 200,
        body: {
          results: page.flatMap(
            (id) => show(account, { id, isArchived, requested: requestedProperties(call) }) ?? [],
          ),
          ...(rest.length > limit && { paging: { next: { after: String(page.at(-1)) } } }),
        },
      };
    },

    read({ account, call, parts }) {
      const record = show(account, {
        id: Number(parts[0]),
        isArchived: call.request.query.get('archived') === 'true',
        requested: requestedProperties(call),
      });
      if (record === undefined) throw notFound();
      return { status: 200, body: record };
    },

    batchRead: (context) => batchRead(context),
  };

  function batchRead({ account, call }: EndpointContext): Reply {
    const body = objectBody(call);
    const ids = listOf(body['inputs'], 'inputs').map((input) =>
      textOf(isObject(input) ? input['id'] : undefined, 'id'),
    );
    if (ids.length > 100)
      throw invalid(`Too many inputs: ${ids.length}. At most 100 records can be read at once.`);
    const requested = textsOf(body['properties'], 'properties');
    const found = new Map<string, object>();
    const missing: string[] = [];
    for (const id of ids) {
      const record = show(account, { id: Number(id), isArchived: false, requested });
      if (record) found.set(record.id, record);
      else missing.push(id);
    }
    const now = new Date(call.now).toISOString();
    const error = {
      status: 'error',
      category: 'OBJECT_NOT_FOUND',
      context: { ids: missing },
      message: `Could not get some ${object.name} objects, they may be deleted or not exist. Check that ids are valid.`,
    };
    return {
      status: missing.length > 0 ? 207 : 200,
      body: {
        status: 'COMPLETE',
        results: [...found.values()],
        ...(missing.length > 0 && { numErrors: 1, errors: [error] }),
        startedAt: now,
        completedAt: now,
      },
    };
  }

  function show(
    account: HubSpotAccount,
    { id, isArchived, requested }: Shown,
  ): ShownRecord | undefined {
    const all = object.read(account, id, isArchived);
    return all && showRecord(object, all, { isArchived, requested });
  }
}

/** A record as every endpoint shows it, with the requested properties that exist. */
export function showRecord(
  { always, defaults, times }: Pick<SimpleObject, 'always' | 'defaults' | 'times'>,
  all: Properties,
  { isArchived, requested = defaults }: Omit<Shown, 'id'>,
): ShownRecord {
  const names = [...new Set([...always, ...requested])];
  const properties = Object.fromEntries(
    names.flatMap((name) => (name in all ? [[name, all[name]]] : [])),
  );
  const [createdAt, updatedAt] = times.map((name) => all[name]);
  return {
    id: String(all['hs_object_id']),
    properties,
    createdAt,
    updatedAt,
    archived: isArchived,
    ...(isArchived && { archivedAt: updatedAt }),
  };
}

function requestedProperties({
  request: { query },
}: Call<HubSpotTypes>): readonly string[] | undefined {
  return query.has('properties')
    ? query.getAll('properties').flatMap((list) => list.split(','))
    : undefined;
}

interface SimpleObject {
  /** As error messages name it: `COMPANY`. */
  readonly name: string;
  /** The properties that are always returned. */
  readonly always: readonly string[];
  /** The properties that are returned unless others are requested. */
  readonly defaults: readonly string[];
  /** The properties that hold when a record was created and changed. */
  readonly times: readonly [created: string, updated: string];
  /** In ascending order. */
  ids(account: HubSpotAccount, isArchived: boolean): readonly number[];
  /** All properties of a record; undefined if there is none with this id. */
  read(account: HubSpotAccount, id: number, isArchived: boolean): Properties | undefined;
}

export type Properties = Readonly<Record<string, string | null>>;

interface Shown {
  readonly id: number;
  readonly isArchived: boolean;
  /** Absent: the defaults. */
  readonly requested: readonly string[] | undefined;
}

interface ShownRecord {
  readonly id: string;
  readonly [name: string]: unknown;
}

export type ObjectEndpoints = Readonly<Record<'list' | 'read' | 'batchRead', Endpoint>>;
