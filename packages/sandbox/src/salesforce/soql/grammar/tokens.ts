import { queryFault } from '../../errors.ts';

/**
 * Splits a query into tokens. String literals stay escaped: the meaning of an escape depends on the operator before
 * it.
 */
export function toTokens(soql: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < soql.length) {
    const token = readToken(soql, at);
    if (token.kind !== 'space') tokens.push(token);
    at += token.text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: soql.length });
  return tokens;
}

function readToken(soql: string, at: number): Token {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const text = pattern.exec(soql)?.[0];
    if (text !== undefined) return { kind, text, at };
  }
  const found = soql.charAt(at);
  const text =
    found === "'"
      ? `line 1:${soql.length} mismatched character '<EOF>' expecting '''`
      : `line 1:${at} no viable alternative at character '${found}'`;
  throw queryFault(soql, { errorCode: 'MALFORMED_QUERY', at, text });
}

const PATTERNS: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', /\s+/y],
  ['string', /'[^'\\]*(?:\\[\s\S][^'\\]*)*'/y],
  ['datetime', /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)/iy],
  ['date', /\d{4}-\d\d-\d\d/y],
  ['number', /[+-]?\d+(?:\.\d+)?/y],
  ['word', /[a-z]\w*(?:\.[a-z]\w*)*/iy],
  ['symbol', /!=|<>|<=|>=|[=<>(),:]/y],
];

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

export type TokenKind =
  | 'space'
  | 'string'
  | 'datetime'
  | 'date'
  | 'number'
  | 'word'
  | 'symbol'
  | 'end';
