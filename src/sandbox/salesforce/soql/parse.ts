import { SalesforceError } from '../errors.ts';
import { parseCondition } from './grammar/parse-condition.ts';
import { parseSelect } from './grammar/parse-select.ts';
import { TokenReader } from './grammar/token-reader.ts';
import type { Ordering, Query } from './syntax.ts';

export function parseQuery(soql: string): Query {
  if (soql.length > MAX_QUERY) {
    const message = `SOQL statements cannot be longer than ${MAX_QUERY} characters.`;
    throw new SalesforceError(400, 'MALFORMED_QUERY', message);
  }
  const reader = new TokenReader(soql);
  const select = parseSelect(reader);
  reader.expect('FROM');
  const from = reader.take('word');
  const query: Query = {
    select,
    from,
    alias: parseAlias(reader),
    where: reader.accept('WHERE') ? parseCondition(reader) : undefined,
    orderBy: parseOrderBy(reader),
    limit: parseNumber(reader, 'LIMIT'),
    offset: parseNumber(reader, 'OFFSET'),
  };
  if (reader.peek().kind !== 'end') throw reader.unexpected();
  return query;
}

function parseAlias(reader: TokenReader): string | undefined {
  const token = reader.peek();
  if (token.kind !== 'word' || CLAUSES.has(token.text.toUpperCase())) return undefined;
  return reader.next().text;
}

function parseOrderBy(reader: TokenReader): readonly Ordering[] {
  if (!reader.accept('ORDER')) return [];
  reader.expect('BY');
  const orderings = [parseOrdering(reader)];
  while (reader.accept(',')) orderings.push(parseOrdering(reader));
  return orderings;
}

function parseOrdering(reader: TokenReader): Ordering {
  const field = reader.take('word');
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
