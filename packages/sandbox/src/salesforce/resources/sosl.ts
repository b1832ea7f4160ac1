import type { Reply } from '../answers.ts';
import { executeQuery } from '../soql/execute.ts';
import type { FieldType, Row } from '../soql/table.ts';
import { type ApiRequest, allow, badInput } from './api-request.ts';
import { FIELD_TYPES, toWords } from './search.ts';

/**
 * `FIND {text} IN PHONE FIELDS RETURNING Contact(Id, Name WHERE … LIMIT 5), User(Id)`: tokenised, never an exact
 * match.
 */
export function answerSosl(apiRequest: ApiRequest): Reply {
  allow(apiRequest, 'GET');
  const statement = apiRequest.query.get('q') ?? '';
  const [, text = '', group = 'ALL', returning] =
    /^\s*FIND\s*\{((?:[^{}\\]|\\.)*)\}(?:\s+IN\s+(\w+)\s+FIELDS)?(?:\s+RETURNING\s+(.+?))?\s*$/is.exec(
      statement,
    ) ?? [];
  const types = FIELD_TYPES[group.toUpperCase()];
  const terms = text.replace(/\\(.)/g, '$1').split(/\s+OR\s+/i);
  if (types === undefined || terms.some((one) => toWords(one).join('').length < 2))
    throw badInput(
      `\n${statement}\n^\nERROR at Row:1:Column:1\nunexpected search text`,
      'MALFORMED_SEARCH',
    );
  const objects = returning === undefined ? [] : returning.matchAll(OBJECT);
  const searchRecords = [...objects].flatMap(([, name = '', inside = 'Id']) =>
    find(apiRequest, { name, inside, terms, types }),
  );
  return { status: 200, body: { searchRecords: searchRecords.slice(0, MAX_ROWS) } };
}

function find(apiRequest: ApiRequest, { name, inside, terms, types }: Returned): readonly object[] {
  const [, fields, rest = '', limit = `${MAX_ROWS}`] =
    /^(.+?)(\s+(?:WHERE|ORDER)\s.*?)?(?:\s+LIMIT\s+(\d+))?$/is.exec(inside) ?? [];
  const result = executeQuery(`SELECT ${fields} FROM ${name}${rest}`, {
    database: apiRequest.database,
    now: apiRequest.now,
    includeDeleted: false,
  });
  if (result.kind !== 'rows') return [];
  const searched = [...(apiRequest.database.table(name)?.definition.fields.values() ?? [])]
    .filter(({ type }) => types.includes(type))
    .map((field) => field.name);
  return result.rows
    .filter((row) => terms.some((text) => searched.some((field) => isIn(row, field, text))))
    .slice(0, Number(limit))
    .map((row) => result.show(row, apiRequest.version));
}

/** Formatting is ignored: digits match a number in any notation. A star is a wildcard for the rest of a word. */
function isIn(row: Row, field: string, text: string): boolean {
  const value = String(row[field] ?? '');
  const own = [...toWords(value), value.replace(/\D/g, '')];
  const isPrefix = text.trimEnd().endsWith('*');
  return toWords(text).every((word, place, words) =>
    own.some((one) =>
      isPrefix && place === words.length - 1 ? one.startsWith(word) : one === word,
    ),
  );
}

const OBJECT = /(\w+)\s*(?:\(((?:[^()]|\([^()]*\))*)\))?\s*(?:,|$)/g;
const MAX_ROWS = 2_000;

interface Returned {
  readonly name: string;
  /** The text in the parentheses. */
  readonly inside: string;
  readonly terms: readonly string[];
  readonly types: readonly FieldType[];
}
