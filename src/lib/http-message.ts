import type { JsonBytes } from './json-bytes.ts';

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
