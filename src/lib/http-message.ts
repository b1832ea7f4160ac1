import { isUtf8 } from 'node:buffer';
import type { JsonBytes } from '@crossbook/executor';

/** A request as the APIs see it. Its parts are created lazily. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** The path, without parsing the URL. */
  readonly pathname: string;
  readonly headers: HttpHeaders;
  /** The whole body, which has been received. */
  readBody(): Buffer;
}

/** A request whose body may still be in transit, and whose client may disconnect. */
export interface ArrivingRequest extends HttpRequest {
  /** Whether the headers announce a body. */
  readonly hasBody: boolean;
  /**
   * Call before `readBody`. Rejects if the body exceeds `limit`, is aborted, or may not be received now.
   */
  receiveBody(limit: number, beginLong: BeginLongBody): Promise<void>;
  /** Calls back once after the response was sent or the client disconnected; at once where that is past. */
  onClose(callback: () => void): void;
}

/** Longer bodies are long: as much as a readable stream buffers anyway. */
export const LONG_BODY_BYTES = 16 * 1024;

/** Called before the rest of a long body is read, which waits for the promise. */
export type BeginLongBody = () => Promise<void>;

export interface HttpHeaders extends Iterable<readonly [name: string, value: string]> {
  /** Names are in lower case. */
  get(name: string): string | null;
}

export interface HttpResponse {
  readonly status: number;
  /** Names are in lower case; the sender adds `content-length`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | JsonBytes | null;
}

/**
 * `Retry-After` in either form, in milliseconds from now; undefined if it is missing or invalid. A date is
 * compared with the `Date` header, because the sender's clock may differ from ours. At most a day: a sender that is
 * broken would otherwise stop what waits for it for ever.
 */
export function readRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers['retry-after']?.trim();
  if (!value) return undefined;
  if (/^\d{1,8}(\.\d+)?$/.test(value))
    return Math.min(Math.ceil(Number(value) * 1_000), LONGEST_WAIT_MS);
  const waitMs = readDate(value) - readDate(headers['date'] ?? '');
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), LONGEST_WAIT_MS);
}

const LONGEST_WAIT_MS = 24 * 60 * 60 * 1_000;

/** The header `retry-after` in whole seconds, where there is a time to wait. */
export function toRetryAfter(waitMs: number | undefined): Readonly<Record<string, string>> {
  return waitMs === undefined ? {} : { 'retry-after': String(Math.ceil(waitMs / 1_000)) };
}

/** `Date.parse` alone accepts nearly any text. */
function readDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

const HTTP_DATE = /^[A-Za-z]{3,9},? /;

/** A query string or form with spaces as `%20`, as authorization servers document scopes. */
export function toQuery(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  return new URLSearchParams(given).toString().replaceAll('+', '%20');
}

/** Decodes a header as UTF-8: Node reads it as Latin-1, but clients send other letters in UTF-8. */
export function readUtf8Header(value: string | undefined): string | undefined {
  if (value === undefined || !BEYOND_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

const BEYOND_ASCII = /[\x80-\xff]/;
