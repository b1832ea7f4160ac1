import type { Call } from '../imitation.ts';
import { invalid, notFound } from './errors.ts';
import { isObject, listOf, objectBody, textOf, textsOf } from './request-body.ts';
import type { Endpoint, EndpointContext, HubSpotAccount, HubSpotTypes, Reply } from './types.ts';

/** The endpoints of an object type that can be listed and read by id, but not searched. */
export function createObjectEndpoints(object: SimpleObject): ObjectEndpoints {
  return {
    list({ account, call }) {
      const { query } = call.request;
      const limit = Number(query.get('limit') ?? 10);
      if (!(limit >= 1 && limit <= 100))
        throw invalid(`Invalid limit ${limit}: it has to be between 1 and 100.`);
      const after = Number(query.get('after') ?? 0);
      const rest = object.ids(account).filter((id) => id > after);
      const page = rest.slice(0, limit);
      return {
        status: 200,
        body: {
          results: page.flatMap((id) => show(account, id, requestedProperties(call)) ?? []),
          ...(rest.length > limit && { paging: { next: { after: String(page.at(-1)) } } }),
        },
      };
    },

    read({ account, call, parts }) {
      const record = show(account, Number(parts[0]), requestedProperties(call));
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
    const found = new Map<number, object>();
    const missing: string[] = [];
    for (const id of ids) {
      const record = show(account, Number(id), requested);
      if (record) found.set(Number(id), record);
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
    id: number,
    requested: readonly string[] = object.defaults,
  ): object | undefined {
    const all = object.read(account, id);
    if (all === undefined) return undefined;
    const names = [...new Set([...object.always, ...requested])];
    const properties = Object.fromEntries(
      names.flatMap((name) => (name in all ? [[name, all[name]]] : [])),
    );
    const [createdAt, updatedAt] = object.times.map((name) => all[name]);
    return { id: String(id), properties, createdAt, updatedAt, archived: false };
  }
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
  ids(account: HubSpotAccount): readonly number[];
  /** All properties of a record; undefined if there is none with this id. */
  read(account: HubSpotAccount, id: number): Readonly<Record<string, string | null>> | undefined;
}

type ObjectEndpoints = Readonly<Record<'list' | 'read' | 'batchRead', Endpoint>>;
