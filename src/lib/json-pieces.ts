import { isAscii } from 'node:buffer';
import type { TakeTurn } from '@crossbook/executor';

/**
 * Parses JSON in pieces, so that no piece of work is as long as its input: the members of a long list or object are
 * parsed in groups, each in a turn of its own. The result is that of `JSON.parse`.
 */
export async function parseJsonInPieces(bytes: Buffer, options: PieceOptions): Promise<unknown> {
  const { takeTurn, charge, parse = JSON.parse, pieceBytes = PIECE_BYTES } = options;
  if (bytes.length > pieceBytes) return new PieceParser(bytes, options).readDocument();
  const turn = takeTurn();
  if (turn) await turn;
  const text = bytes.toString('utf8');
  charge?.(estimateMemory(bytes, countJsonValues(text) + 1));
  return parse(text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text);
}

/**
 * Text that is not ASCII takes two bytes for each character, and parsing gives one value for each comma and bracket.
 */
function estimateMemory(bytes: Buffer, values: number): number {
  return bytes.length * (isAscii(bytes) ? 1 : 2) + values * VALUE_BYTES;
}

/** The number of values that parsing gives at most: one for each comma and bracket. */
export function countJsonValues(text: string): number {
  let values = 0;
  for (const before of BEFORE_VALUE)
    for (let at = text.indexOf(before); at >= 0; at = text.indexOf(before, at + 1)) values += 1;
  return values;
}

const BEFORE_VALUE = [',', '{', '['];

interface PieceOptions {
  /** Called before each piece, to let others run. */
  readonly takeTurn: TakeTurn;
  /** Accounts for the memory that the next piece takes once parsed. It may throw. */
  charge?(bytes: number): void;
  /** Parses the text of a piece. It may throw. */
  parse?(text: string): unknown;
  /** Called for a key that a long object has twice. */
  onDuplicateKey?(key: string): void;
  readonly pieceBytes?: number;
}

/** JSON that is beyond what a piece may be made of. The message completes a sentence: "…, because …". */
export class JsonLimitError extends Error {
  override readonly name = 'JsonLimitError';
}

class PieceParser {
  readonly #bytes: Buffer;
  readonly #options: PieceOptions;
  readonly #parseText: (text: string) => unknown;
  readonly #pieceBytes: number;
  #at = 0;
  /** The number of values since the last piece: at most one for each comma and bracket. */
  #values = 0;

  constructor(bytes: Buffer, options: PieceOptions) {
    this.#bytes = bytes;
    this.#options = options;
    this.#parseText = options.parse ?? JSON.parse;
    this.#pieceBytes = options.pieceBytes ?? PIECE_BYTES;
  }

  async readDocument(): Promise<unknown> {
    if (this.#bytes.subarray(0, 3).equals(BYTE_ORDER_MARK_BYTES)) this.#at = 3;
    const value = await this.#readValue(0);
    this.#skipSpace();
    if (this.#at < this.#bytes.length) throw this.#invalid();
    return value;
  }

  async #readValue(level: number): Promise<unknown> {
    this.#skipSpace();
    const start = this.#at;
    if (this.#skipSmall()) return this.#parse(start, this.#at);
    if (level === MAX_LEVELS) throw new JsonLimitError('long lists are nested too deep');
    return this.#bytes[start] === OPEN_BRACE ? this.#readObject(level) : this.#readList(level);
  }

  async #readList(level: number): Promise<unknown[]> {
    const list: unknown[] = [];
    await this.#readMembers(CLOSE_BRACKET, {
      addGroup: async (start, end) => {
        for (const item of (await this.#parse(start, end, '[]')) as unknown[]) list.push(item);
        checkCount(list.length);
      },
      addLong: async () => {
        list.push(await this.#readValue(level + 1));
      },
    });
    return list;
  }

  async #readObject(level: number): Promise<object> {
    const object = {};
    let count = 0;
    const add = (key: string, value: unknown) => {
      if (Object.hasOwn(object, key)) this.#options.onDuplicateKey?.(key);
      // Assigning `__proto__` would change the prototype.
      const isPlain = key !== '__proto__';
      if (isPlain) (object as Record<string, unknown>)[key] = value;
      else Object.defineProperty(object, key, { value, enumerable: true, configurable: true });
    };
    await this.#readMembers(CLOSE_BRACE, {
      addGroup: async (start, end) => {
        const group = (await this.#parse(start, end, '{}')) as Record<string, unknown>;
        const keys = Object.keys(group);
        for (const key of keys) add(key, group[key]);
        count += keys.length;
        checkCount(count);
      },
      addLong: async (key) => add(key, await this.#readValue(level + 1)),
    });
    return object;
  }

  /** Reads the members of a long list or object: short ones in groups, each long one by itself. */
  async #readMembers(close: number, { addGroup, addLong }: MemberReader): Promise<void> {
    this.#at += 1;
    /** Where the group begins: the members since then are short. */
    let start = this.#at;
    for (;;) {
      const member = this.#at;
      const key = close === CLOSE_BRACE ? this.#skipKey() : undefined;
      this.#skipSpace();
      if (!this.#skipSmall()) {
        if (member > start) await addGroup(start, member - 1);
        await addLong(
          key ? String(JSON.parse(this.#bytes.toString('utf8', key.start, key.end))) : '',
        );
        start = Number.POSITIVE_INFINITY;
      }
      this.#skipSpace();
      const next = this.#bytes[this.#at];
      if (next !== COMMA && next !== close) throw this.#invalid();
      const isLast = next === close;
      if (start < this.#at && (isLast || this.#at - start >= this.#pieceBytes)) {
        await addGroup(start, this.#at);
        start = Number.POSITIVE_INFINITY;
      }
      this.#at += 1;
      if (isLast) return;
      start = Math.min(start, this.#at);
    }
  }

  async #parse(start: number, end: number, brackets = ''): Promise<unknown> {
    const turn = this.#options.takeTurn();
    if (turn) await turn;
    this.#options.charge?.(estimateMemory(this.#bytes.subarray(start, end), this.#values));
    this.#values = 0;
    const text = this.#bytes.toString('utf8', start, end);
    return this.#parseText(brackets ? `${brackets[0]}${text}${brackets[1]}` : text);
  }

  /** Moves behind the value here, if it is short. Stays here if it is a long list or object. */
  #skipSmall(): boolean {
    const first = this.#bytes[this.#at];
    const end =
      first === QUOTE
        ? this.#findStringEnd(this.#at)
        : first === OPEN_BRACE || first === OPEN_BRACKET
          ? this.#findClose(this.#at)
          : this.#findScalarEnd(this.#at);
    if (end === undefined) return false;
    this.#at = end;
    return true;
  }

  #skipKey(): { readonly start: number; readonly end: number } {
    this.#skipSpace();
    const start = this.#at;
    if (this.#bytes[start] !== QUOTE) throw this.#invalid();
    const end = this.#findStringEnd(start);
    this.#at = end;
    this.#skipSpace();
    if (this.#bytes[this.#at] !== COLON) throw this.#invalid();
    this.#at += 1;
    return { start, end };
  }

  /** Undefined for a list or object that is longer than a piece. */
  #findClose(start: number): number | undefined {
    const bytes = this.#bytes;
    const last = Math.min(bytes.length, start + this.#pieceBytes);
    let depth = 0;
    let values = 0;
    for (let at = start; at < last; at += 1) {
      const byte = bytes[at];
      if (byte === QUOTE) at = this.#findStringEnd(at) - 1;
      else if (byte === COMMA) values += 1;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        values += 1;
        depth += 1;
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1;
        if (depth === 0) {
          this.#values += values + 1;
          return at + 1;
        }
      }
    }
    if (last === bytes.length) throw new SyntaxError('JSON ends before its last bracket');
    return undefined;
  }

  #findStringEnd(start: number): number {
    const bytes = this.#bytes;
    const last = Math.min(bytes.length, start + MAX_STRING_BYTES);
    for (let at = start + 1; at < last; at += 1) {
      const byte = bytes[at];
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) {
        this.#values += 1;
        return at + 1;
      }
    }
    if (last === bytes.length) throw new SyntaxError('JSON ends in a string');
    throw new JsonLimitError(`a string is longer than ${MAX_STRING_BYTES} bytes`);
  }

  #findScalarEnd(start: number): number {
    let at = start;
    while (at < this.#bytes.length && !ENDS_SCALAR.has(this.#bytes[at] ?? 0)) at += 1;
    if (at === start || at - start > MAX_SCALAR_BYTES) throw this.#invalid();
    this.#values += 1;
    return at;
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    for (
      let byte = bytes[at];
      byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB;
    ) {
      at += 1;
      if (at - start > MAX_SPACE_BYTES) throw new JsonLimitError('it has too much white space');
      byte = bytes[at];
    }
    this.#at = at;
  }

  #invalid(): SyntaxError {
    return new SyntaxError(`Unexpected token in JSON at position ${this.#at}`);
  }
}

/** Growing a very long list or object takes as long as all its members. */
function checkCount(members: number): void {
  if (members > MAX_MEMBERS)
    throw new JsonLimitError(`a list or object has more than ${MAX_MEMBERS} members`);
}

interface MemberReader {
  addGroup(start: number, end: number): Promise<void>;
  addLong(key: string): Promise<void>;
}

/** What one piece parses: a few milliseconds of work at most. */
export const PIECE_BYTES = 128 * 1024;
/** An empty object with its slot in a list. */
export const VALUE_BYTES = 64;
/** The longest text field of a CRM has 131,072 characters, each of which takes six bytes at most. */
const MAX_STRING_BYTES = 1024 * 1024;
const MAX_SCALAR_BYTES = 1_024;
const MAX_SPACE_BYTES = 1024 * 1024;
/** Far more than the records of a page. */
const MAX_MEMBERS = 100_000;
/** Levels of values that are longer than a piece. */
const MAX_LEVELS = 16;
const BYTE_ORDER_MARK = 0xfeff;
const BYTE_ORDER_MARK_BYTES = Buffer.from([0xef, 0xbb, 0xbf]);
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const ENDS_SCALAR: ReadonlySet<number> = new Set([
  TAB,
  LINE_FEED,
  RETURN,
  SPACE,
  COMMA,
  CLOSE_BRACE,
  CLOSE_BRACKET,
]);
