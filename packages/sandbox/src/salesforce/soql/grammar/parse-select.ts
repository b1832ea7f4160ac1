import type {
  Aggregate,
  AggregateFunction,
  FieldGroup,
  Name,
  Query,
  Select,
  SelectedField,
  SelectItem,
} from '../syntax.ts';
import type { TokenReader } from './token-reader.ts';

export function parseSelect(reader: TokenReader, parseQuery: ParseQuery): Select {
  reader.expect('SELECT');
  if (isCall(reader, 'COUNT') && reader.peek(2).text === ')') {
    for (const token of ['COUNT', '(', ')']) reader.expect(token);
    return { kind: 'count' };
  }
  const items = [parseItem(reader, parseQuery)];
  while (reader.accept(',')) items.push(parseItem(reader, parseQuery));
  return { kind: 'items', items };
}

/** A field or an aggregate function: what HAVING and ORDER BY can name. */
export function parseOperand(reader: TokenReader): Name | Aggregate {
  const name = FUNCTIONS.find((one) => isCall(reader, one));
  if (name === undefined) return reader.take('word');
  const { at } = reader.next();
  reader.expect('(');
  const of = reader.take('word');
  reader.expect(')');
  return { function: name, of, text: `${name}(${of.text})`, at };
}

function parseItem(reader: TokenReader, parseQuery: ParseQuery): SelectItem {
  if (reader.accept('(')) {
    const query = parseQuery(reader);
    reader.expect(')');
    return { query };
  }
  return isCall(reader, 'FIELDS') ? parseFieldGroup(reader) : parseField(reader);
}

function parseField(reader: TokenReader): SelectedField {
  const operand = parseOperand(reader);
  const token = reader.peek();
  if (token.kind !== 'word' || token.text.toUpperCase() === 'FROM') return operand;
  return { ...operand, alias: reader.next().text };
}

function parseFieldGroup(reader: TokenReader): FieldGroup {
  const { text, at } = reader.next();
  reader.expect('(');
  const group = toGroup(reader.peek().text.toUpperCase());
  if (group === undefined) throw reader.unexpected();
  reader.next();
  reader.expect(')');
  return { text, at, group };
}

function toGroup(word: string): FieldGroup['group'] | undefined {
  return (['ALL', 'STANDARD', 'CUSTOM'] as const).find((group) => group === word);
}

function isCall(reader: TokenReader, name: string): boolean {
  return reader.peek().text.toUpperCase() === name && reader.peek(1).text === '(';
}

const FUNCTIONS: readonly AggregateFunction[] = [
  'COUNT',
  'COUNT_DISTINCT',
  'MIN',
  'MAX',
  'SUM',
  'AVG',
];

type ParseQuery = (reader: TokenReader) => Query;
