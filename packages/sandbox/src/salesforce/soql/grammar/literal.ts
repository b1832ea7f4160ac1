import { toWireDatetime } from '../../values/datetime.ts';
import { DATE_LITERALS } from '../date-literals.ts';
import type { Literal } from '../syntax.ts';
import { readString } from './string-literal.ts';
import type { TokenReader } from './token-reader.ts';
import type { Token } from './tokens.ts';

/** A literal in a condition. Dates and datetimes are converted to the format of records. */
export function parseLiteral(reader: TokenReader): Literal {
  const token = reader.next();
  switch (token.kind) {
    case 'string':
      return { type: 'string', value: readString(reader, token), at: token.at };
    case 'number':
      return { type: 'number', value: Number(token.text), at: token.at };
    case 'date':
      return { type: 'date', value: readDate(reader, token), at: token.at };
    case 'datetime':
      return { type: 'datetime', value: readDatetime(reader, token), at: token.at };
    case 'word':
      return parseWord(reader, token);
    default:
      throw reader.unexpected(token);
  }
}

function parseWord(reader: TokenReader, token: Token): Literal {
  const word = token.text.toUpperCase();
  if (word === 'NULL') return { type: 'null', value: null, at: token.at };
  if (word === 'TRUE' || word === 'FALSE')
    return { type: 'boolean', value: word === 'TRUE', at: token.at };
  const span = DATE_LITERALS.get(word);
  if (span === undefined) throw reader.unexpected(token);
  if (!span.takesCount) return { type: 'dateLiteral', value: word, at: token.at };
  reader.expect(':');
  const number = reader.take('number');
  const count = Number(number.text);
  if (!Number.isSafeInteger(count) || count < 0 || count > MAX_COUNT)
    throw reader.unexpected(number);
  return { type: 'dateLiteral', value: word, count, at: token.at };
}

/** Beyond this a date could leave the range that is representable. */
const MAX_COUNT = 100_000;

function readDate(reader: TokenReader, token: Token): string {
  if (toWireDatetime(`${token.text}T00:00:00Z`) === undefined) throw invalidDate(reader, token);
  return token.text;
}

function readDatetime(reader: TokenReader, token: Token): string {
  const value = toWireDatetime(token.text);
  if (value === undefined) throw invalidDate(reader, token);
  return value;
}

function invalidDate(reader: TokenReader, token: Token) {
  return reader.fault(token.at, `Invalid date: ${token.text}`, 'INVALID_QUERY_FILTER_OPERATOR');
}
