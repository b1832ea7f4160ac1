import { SalesforceError } from '../errors.ts';
import { parseCondition } from './grammar/parse-condition.ts';
import { parseOperand, parseSelect } from './grammar/parse-select.ts';
import { TokenReader } from './grammar/token-reader.ts';
import type { Name, Ordering, Query } from './syntax.ts';

export function parseQuery(soql: string): Query {
  if (soql.length > MAX_QUERY) {
    const message = `SOQL statements cannot be longer than ${MAX_QUERY} characters.`;
    throw new SalesforceError(400, 'MALFORMED_QUERY', message);
  }
  const reader = new TokenReader(soql);
  const query = parseClauses(reader);
  if (reader.peek().kind !== 'end') throw reader.unexpected();
  return query;
}

function parseClauses(reader: TokenReader, depth = 0): Query {
  const { at } = reader.peek();
  if (depth > MAX_SUBQUERY_DEPTH) {
    const text = `SOQL statements cannot query aggregate relationships more than ${MAX_SUBQUERY_DEPTH} levels away from the root entity object`;
    throw reader.fault(at, text);
  }
  const select = parseSelect(reader, (inner) => parseClauses(inner, depth + 1));
  reader.expect('FROM');
  const from = reader.take('word');
  return {
    select,
    from,
    alias: parseAlias(reader),
    where: reader.accept('WHERE') ? parseCondition(reader) : undefined,
    groupBy: parseGroupBy(reader),
    having: reader.accept('HAVING') ? parseCondition(reader) : undefined,
    orderBy: parseOrderBy(reader),
    limit: parseNumber(reader, 'LIMIT'),
    offset: parseNumber(reader, 'OFFSET'),
  };
}

function parseAlias(reader: TokenReader): string | undefined {
  const token = reader.peek();
  if (token.kind !== 'word' || CLAUSES.has(token.text.toUpperCase())) return undefined;
  return reader.next().text;
}

function parseGroupBy(reader: TokenReader): readonly Name[] {
  if (!reader.accept('GROUP')) return [];
  reader.expect('BY');
  const names = [reader.take('word')];
  while (reader.accept(',')) names.push(reader.take('word'));
  return names;
}

function parseOrderBy(reader: TokenReader): readonly Ordering[] {
  if (!reader.accept('ORDER')) return [];
  reader.expect('BY');
  const orderings = [parseOrdering(reader)];
  while (reader.accept(',')) orderings.push(parseOrdering(reader));
  return orderings;
}

function parseOrdering(reader: TokenReader): Ordering {
  const field = parseOperand(reader);
  const descending = reader.accept('DESC');
  if (!descending) reader.accept('ASC');
  if (!reader.accept('NULLS')) return { field, descending, nullsLast: false };
  const nullsLast = reader.accept('LAST');
  if (!nullsLast) reader.expect('FIRST');
  return { field, descending, nullsLast };
}

function parseNumber(reader: TokenReader, keyword: string): number | undefined {
  if (!reader.accept(keyword)) return undefined;
  const token = reader.take('number');
  const value = Number(token.text);
  if (!Number.isSafeInteger(value) || value < 0) throw reader.unexpected(token);
  return value;
}

const MAX_QUERY = 100_000;
const MAX_SUBQUERY_DEPTH = 4;
const CLAUSES = new Set([
  'WHERE',
  'ORDER',
  'LIMIT',
  'OFFSET',
  'GROUP',
  'HAVING',
  'WITH',
  'FOR',
  'USING',
  'ALL',
]);
