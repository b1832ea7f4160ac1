import type { WrittenJson } from './written-json.ts';

/** A request, as a face sees it. Nothing of it is made or read before it is asked for. */
export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  /** The URL's, without the cost of the URL. */
  readonly pathname: string;
  readonly headers: HttpHeaders;
  /** All of the body; undefined, and nothing more of it is kept, where there is more of it than `limit`. Asked once. */
  readBody(limit: number): Promise<Buffer | undefined>;
  /** Told when the body is here: at once where there is none. */
  whenWhole(tell: () => void): void;
}

export interface HttpHeaders extends Iterable<readonly [name: string, value: string]> {
  /** By its name in lower case. */
  get(name: string): string | null;
}

export interface HttpAnswer {
  readonly status: number;
  /** By their names in lower case; the length is added by who sends it. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | WrittenJson | null;
}
