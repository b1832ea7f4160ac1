import type { Reply } from '../answers.ts';
import { notFound, SalesforceError } from '../errors.ts';
import type { Row, Table } from '../soql/table.ts';
import { toId15 } from '../values/record-id.ts';
import { type ApiRequest, allow, badInput, textsOf } from './api-request.ts';
import { listDeleted, listUpdated } from './changes.ts';
import { answerDescribe, describeGlobal } from './describe.ts';
import { answerCollectionDeletion, answerCollectionWrite, answerRecordWrite } from './writes.ts';

/** `sobjects`, `sobjects/Contact`, `sobjects/Contact/describe`, `sobjects/Contact/003…`. */
export function answerSObjects(apiRequest: ApiRequest): Reply {
  const isRecord = apiRequest.path.length > 1;
  if (isRecord && (apiRequest.method === 'POST' || apiRequest.method === 'PATCH'))
    return answerRecordWrite(apiRequest);
  allow(apiRequest, 'GET');
  const [, type, what, ...rest] = apiRequest.path;
  if (type === undefined) return { status: 200, body: describeGlobal(apiRequest) };
  const table = tableOf(apiRequest, type);
  if (rest.length > 0) throw notFound();
  if (what === undefined)
    return { status: 200, body: { objectDescribe: { name: type }, recentItems: [] } };
  if (what === 'describe') return answerDescribe(apiRequest, table.definition);
  if (what === 'updated') return listUpdated(apiRequest, table);
  if (what === 'deleted') return listDeleted(apiRequest, table);
  const fields = apiRequest.query.get('fields')?.split(',') ?? allFields(table);
  return {
    status: 200,
    body: show(apiRequest, { table, row: findRow(apiRequest, table, what), fields }),
  };
}

/** Many records by id in one call, in the order of the ids; null for a missing record. */
export function answerCollection(apiRequest: ApiRequest): Reply {
  if (apiRequest.path[2] === undefined) {
    allow(apiRequest, 'POST', 'PATCH', 'DELETE');
    return apiRequest.method === 'DELETE'
      ? answerCollectionDeletion(apiRequest)
      : answerCollectionWrite(apiRequest);
  }
  allow(apiRequest, 'POST', 'GET');
  const table = tableOf(apiRequest, apiRequest.path[2] ?? '');
  const ids =
    apiRequest.method === 'GET' ? listOf(apiRequest, 'ids') : textsOf(apiRequest.body(), 'ids');
  const fields =
    apiRequest.method === 'GET'
      ? listOf(apiRequest, 'fields')
      : textsOf(apiRequest.body(), 'fields');
  if (ids.length > MAX_IDS)
    throw badInput(`At most ${MAX_IDS} ids can be retrieved`, 'NUMBER_OUTSIDE_VALID_RANGE');
  checkFields(table, fields);
  const records = ids.map((id) => {
    const row = table.find(toId15(id) ?? '');
    return row === undefined || row['IsDeleted'] === true
      ? null
      : show(apiRequest, { table, row, fields });
  });
  return { status: 200, body: records };
}

function tableOf({ database }: ApiRequest, type: string): Table {
  const table = database.table(type);
  if (table === undefined) throw notFound();
  return table;
}

function findRow({ account }: ApiRequest, table: Table, id: string): Row {
  const id15 = toId15(id);
  if (id15 === undefined) throw new SalesforceError(400, 'MALFORMED_ID', `malformed id ${id}`);
  const row = table.find(id15);
  if (row === undefined) throw notFound();
  if (row['IsDeleted'] !== true) return row;
  throw account.quirks.namesDeleted
    ? new SalesforceError(404, 'ENTITY_IS_DELETED', 'entity is deleted')
    : notFound();
}

function show(apiRequest: ApiRequest, { table, row, fields }: Shown): object {
  checkFields(table, fields);
  const { name, fields: known } = table.definition;
  const url = `/services/data/v${apiRequest.version}/sobjects/${name}/${row['Id']}`;
  const shown = ['Id', ...fields].map(
    (field) => known.get(field.trim().toLowerCase())?.name ?? field,
  );
  const values = [...new Set(shown)].map((field): [string, unknown] => [field, row[field] ?? null]);
  return { attributes: { type: name, url }, ...Object.fromEntries(values) };
}

function checkFields({ definition }: Table, fields: readonly string[]): void {
  const unknown = fields.find((field) => !definition.fields.has(field.trim().toLowerCase()));
  if (unknown === undefined) return;
  const message = `No such column '${unknown}' on sobject of type ${definition.name}`;
  throw badInput(message, 'INVALID_FIELD');
}

function allFields({ definition }: Table): readonly string[] {
  return [...definition.fields.values()].map(({ name }) => name);
}

function listOf({ query }: ApiRequest, name: string): readonly string[] {
  return (query.get(name) ?? '').split(',').filter((item) => item !== '');
}

const MAX_IDS = 2_000;

interface Shown {
  readonly table: Table;
  readonly row: Row;
  readonly fields: readonly string[];
}
