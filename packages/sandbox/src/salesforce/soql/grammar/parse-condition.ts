import type { CompareOperator, Condition, Literal } from '../syntax.ts';
import { parseLiteral } from './literal.ts';
import { parseOperand } from './parse-select.ts';
import { readLikePattern } from './string-literal.ts';
import type { TokenReader } from './token-reader.ts';

/**
 * AND and OR have no precedence over each other: mixing them without parentheses is an error, and so is NOT
 * anywhere but at the start of a condition or parenthesis.
 */
export function parseCondition(reader: TokenReader, depth = 0): Condition {
  if (reader.accept('NOT')) return { kind: 'not', part: parseTerm(reader, depth) };
  const first = parseTerm(reader, depth);
  for (const kind of ['and', 'or'] as const) {
    const parts = [first];
    while (reader.accept(kind.toUpperCase())) parts.push(parseTerm(reader, depth));
    if (parts.length > 1) return { kind, parts };
  }
  return first;
}

function parseTerm(reader: TokenReader, depth: number): Condition {
  if (!reader.accept('(')) return parseComparison(reader);
  if (depth > MAX_DEPTH) {
    throw reader.fault(reader.peek().at, 'Query is too complicated', 'QUERY_TOO_COMPLICATED');
  }
  const inner = parseCondition(reader, depth + 1);
  reader.expect(')');
  return inner;
}

function parseComparison(reader: TokenReader): Condition {
  const field = parseOperand(reader);
  if (reader.accept('LIKE')) {
    return { kind: 'like', field, pattern: readLikePattern(reader, reader.take('string')) };
  }
  if (reader.accept('NOT')) {
    reader.expect('IN');
    return { kind: 'in', field, negated: true, values: parseList(reader) };
  }
  if (reader.accept('IN')) return { kind: 'in', field, negated: false, values: parseList(reader) };
  for (const word of ['INCLUDES', 'EXCLUDES'])
    if (reader.accept(word))
      return { kind: 'includes', field, negated: word === 'EXCLUDES', values: parseList(reader) };
  return { kind: 'compare', field, operator: parseOperator(reader), value: parseLiteral(reader) };
}

function parseOperator(reader: TokenReader): CompareOperator {
  const operator = OPERATORS.get(reader.peek().text);
  if (operator === undefined) throw reader.unexpected();
  reader.next();
  return operator;
}

function parseList(reader: TokenReader): readonly Literal[] {
  reader.expect('(');
  const values = [parseLiteral(reader)];
  while (reader.accept(',')) values.push(parseLiteral(reader));
  reader.expect(')');
  return values;
}

const MAX_DEPTH = 100;

const OPERATORS = new Map<string, CompareOperator>([
  ['=', '='],
  ['!=', '!='],
  ['<>', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);
