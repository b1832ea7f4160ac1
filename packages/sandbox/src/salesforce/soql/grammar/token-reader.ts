import { queryFault, type SalesforceError } from '../../errors.ts';
import { type Token, type TokenKind, toTokens } from './tokens.ts';

/** Iterates over the tokens of one query. Keywords are case-insensitive words. */
export class TokenReader {
  readonly soql: string;
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(soql: string) {
    this.soql = soql;
    this.#tokens = toTokens(soql);
  }

  peek(ahead = 0): Token {
    return (
      this.#tokens[this.#index + ahead] ?? { kind: 'end', text: '<EOF>', at: this.soql.length }
    );
  }

  next(): Token {
    const token = this.peek();
    this.#index += 1;
    return token;
  }

  /** Consumes the next token if it is this keyword or symbol, and returns whether it did. */
  accept(text: string): boolean {
    const token = this.peek();
    const isIt = token.kind !== 'string' && token.text.toUpperCase() === text;
    if (isIt) this.#index += 1;
    return isIt;
  }

  expect(text: string): void {
    if (!this.accept(text)) throw this.unexpected();
  }

  take(kind: TokenKind): Token {
    if (this.peek().kind !== kind) throw this.unexpected();
    return this.next();
  }

  unexpected(token: Token = this.peek()): SalesforceError {
    return this.fault(token.at, `unexpected token: '${token.text}'`);
  }

  fault(at: number, text: string, errorCode = 'MALFORMED_QUERY'): SalesforceError {
    return queryFault(this.soql, { errorCode, at, text });
  }
}
