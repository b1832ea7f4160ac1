import type { Reply } from '../answers.ts';
import type { FieldType, Row, Table } from '../soql/table.ts';
import { type ApiRequest, allow, badInput, isRecord } from './api-request.ts';

/** Full-text search: every search word must be among the words of one field. Not an exact match. */
export function answerSearch(apiRequest: ApiRequest): Reply {
  allow(apiRequest, 'GET', 'POST');
  const search =
    apiRequest.method === 'GET' ? readParameters(apiRequest.query) : readBody(apiRequest.body());
  if (search.words.join('').length < 2)
    throw badInput('search term must be longer than one character', 'MALFORMED_SEARCH');
  const searchRecords = search.sobjects.flatMap((sobject) => find(apiRequest, search, sobject));
  return { status: 200, body: { searchRecords: searchRecords.slice(0, search.overallLimit) } };
}

function find(
  apiRequest: ApiRequest,
  { words, types }: Search,
  { name, fields, limit }: SearchedObject,
): readonly object[] {
  const table = apiRequest.database.table(name);
  if (table === undefined)
    throw badInput(`sObject type '${name}' is not supported.`, 'INVALID_TYPE');
  const shown = fields.map((field) => columnOf(table, field));
  const searched = [...table.definition.fields.values()].filter(({ type }) => types.has(type));
  const isHit = (row: Row): boolean =>
    row['IsDeleted'] !== true &&
    searched.some((field) => {
      const own = toWords(String(row[field.name] ?? ''));
      return words.every((word) => own.includes(word));
    });
  const records: object[] = [];
  for (let place = 0; place < table.size() && records.length < limit; place += 1) {
    const row = table.rowAt(place);
    if (!isHit(row)) continue;
    const url = `/services/data/v${apiRequest.version}/sobjects/${table.definition.name}/${row['Id']}`;
    const values = Object.fromEntries(shown.map((field) => [field, row[field] ?? null]));
    records.push({ attributes: { type: table.definition.name, url }, ...values });
  }
  return records;
}

function columnOf({ definition }: Table, field: string): string {
  const found = definition.fields.get(field.toLowerCase());
  if (found) return found.name;
  throw badInput(
    `No such column '${field}' on sobject of type ${definition.name}`,
    'INVALID_FIELD',
  );
}

function readParameters(query: URLSearchParams): Search {
  const names = query.getAll('sobject');
  const sobjects = names.map((name) => ({
    name,
    fields: (query.get(`${name}.fields`) ?? query.get('fields') ?? 'Id').split(','),
    limit: Number(query.get(`${name}.limit`) ?? query.get('defaultLimit') ?? MAX_RECORDS),
  }));
  return toSearch({
    q: query.get('q'),
    in: query.get('in'),
    overallLimit: Number(query.get('overallLimit') ?? MAX_RECORDS),
    sobjects,
  });
}

function readBody(body: unknown): Search {
  const {
    q,
    in: where,
    overallLimit,
    defaultLimit,
    fields = ['Id'],
    sobjects,
  } = isRecord(body) ? body : {};
  const list = Array.isArray(sobjects) ? sobjects.filter(isRecord) : [];
  return toSearch({
    q,
    in: where,
    overallLimit: Number(overallLimit ?? MAX_RECORDS),
    sobjects: list.map((one) => ({
      name: String(one['name']),
      fields: (Array.isArray(one['fields']) ? one['fields'] : [fields].flat()).map(String),
      limit: Number(one['limit'] ?? defaultLimit ?? MAX_RECORDS),
    })),
  });
}

function toSearch({ q, in: where, overallLimit, sobjects }: ObjectSearch): Search {
  const words = toWords(String(q ?? ''));
  const types = FIELD_TYPES[String(where ?? 'ALL').toUpperCase()];
  if (types === undefined) throw badInput(`No such search group: ${where}`, 'MALFORMED_SEARCH');
  return { words, types: new Set(types), overallLimit, sobjects };
}

export function toWords(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

const MAX_RECORDS = 2_000;
export const FIELD_TYPES: Readonly<Record<string, readonly FieldType[]>> = {
  ALL: ['string', 'email', 'phone', 'textarea'],
  NAME: ['string'],
  EMAIL: ['email'],
  PHONE: ['phone'],
};

interface Search {
  readonly words: readonly string[];
  readonly types: ReadonlySet<FieldType>;
  readonly overallLimit: number;
  readonly sobjects: readonly SearchedObject[];
}

interface SearchedObject {
  readonly name: string;
  readonly fields: readonly string[];
  readonly limit: number;
}

interface ObjectSearch extends Pick<Search, 'overallLimit' | 'sobjects'> {
  readonly q: unknown;
  readonly in: unknown;
}
