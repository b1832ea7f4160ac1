import type { JsonBytes } from './json-body.ts';

/** A request, as a face sees it. Nothing of it is made or read before it is asked for. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** The URL's, without the cost of the URL. */
  readonly pathname: string;
  readonly headers: HttpHeaders;
  /** All of the body, which was received already; undefined where there is more of it than `limit`. */
  readBody(limit: number): Buffer | undefined;
}

/** A request whose body may still be on its way, and whose client may go. */
export interface ArrivingRequest extends HttpRequest {
  /** By its headers. */
  readonly hasBody: boolean;
  /** Before `readBody`. Rejects where the body is larger than `limit`, breaks off, or `reserve` throws. */
  receiveBody(limit: number, reserve: ReserveBytes): Promise<void>;
  /** Calls back once, when the response was sent or the client has gone; at once where that was before. */
  onClose(callback: () => void): void;
}

/** Called with the length of each piece before it is kept. Throws where there is no memory for it. */
export type ReserveBytes = (bytes: number) => void;

export interface HttpHeaders extends Iterable<readonly [name: string, value: string]> {
  /** By its name in lower case. */
  get(name: string): string | null;
}

export interface HttpResponse {
  readonly status: number;
  /** By their names in lower case; the length is added by who sends it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | JsonBytes | null;
  /** Of the body in bytes, where it is known: a text's is counted once. */
  readonly length?: number | undefined;
}

/**
 * `Retry-After` in either form, as milliseconds from now; undefined where there is none or it makes no sense. A date is
 * read by the clock of its sender, the `Date` header: ours may differ, and HTTP demands the header.
 */
export function readRetryAfter(headers: Readonly<Record<string, string>>): number | undefined {
  const value = headers['retry-after']?.trim();
  if (!value) return undefined;
  if (/^\d{1,8}(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  const waitMs = readDate(value) - readDate(headers['date'] ?? '');
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}

/** `Date.parse` would take nearly anything for a year. */
function readDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
}

const HTTP_DATE = /^[A-Za-z]{3,9},? /;

/** A query string or form whose spaces are `%20`, as authorization servers document their scopes. */
export function toQuery(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return new URLSearchParams(given).toString().replaceAll('+', '%20');
}
