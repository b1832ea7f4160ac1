import type { Aggregate, FieldGroup, Name, Select, SelectItem } from '../syntax.ts';
import type { TokenReader } from './token-reader.ts';

export function parseSelect(reader: TokenReader): Select {
  reader.expect('SELECT');
  if (!isAggregate(reader)) return { kind: 'fields', items: parseFields(reader) };
  if (reader.peek(2).text === ')') {
    reader.expect('COUNT');
    reader.expect('(');
    reader.expect(')');
    return { kind: 'count' };
  }
  return { kind: 'aggregates', items: parseAggregates(reader) };
}

function isAggregate(reader: TokenReader): boolean {
  return /^COUNT(_DISTINCT)?$/i.test(reader.peek().text) && reader.peek(1).text === '(';
}

function parseFields(reader: TokenReader): readonly SelectItem[] {
  const items = [parseField(reader)];
  while (reader.accept(',')) items.push(parseField(reader));
  return items;
}

function parseField(reader: TokenReader): SelectItem {
  const name = reader.take('word');
  if (name.text.toUpperCase() !== 'FIELDS' || !reader.accept('(')) return name;
  const group = toGroup(reader.peek().text.toUpperCase());
  if (group === undefined) throw reader.unexpected();
  reader.next();
  reader.expect(')');
  return { text: name.text, at: name.at, group };
}

function toGroup(word: string): FieldGroup['group'] | undefined {
  return (['ALL', 'STANDARD', 'CUSTOM'] as const).find((group) => group === word);
}

function parseAggregates(reader: TokenReader): readonly Aggregate[] {
  const items: Aggregate[] = [];
  do {
    if (!isAggregate(reader)) throw reader.unexpected();
    const distinct = reader.next().text.toUpperCase() === 'COUNT_DISTINCT';
    reader.expect('(');
    const field: Name = reader.take('word');
    reader.expect(')');
    const unnamed = items.filter(({ alias }) => alias.startsWith('expr')).length;
    items.push({ distinct, field, alias: parseAlias(reader) ?? `expr${unnamed}` });
  } while (reader.accept(','));
  return items;
}

function parseAlias(reader: TokenReader): string | undefined {
  const token = reader.peek();
  if (token.kind !== 'word' || token.text.toUpperCase() === 'FROM') return undefined;
  return reader.next().text;
}
