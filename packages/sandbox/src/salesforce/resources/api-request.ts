import { notFound, SalesforceError } from '../errors.ts';
import type { Database } from '../soql/table.ts';
import type { SalesforceAccount } from '../types.ts';

/** One API request, possibly a part of a composite one. */
export interface ApiRequest {
  readonly account: SalesforceAccount;
  readonly now: number;
  readonly origin: string;
  /** `68.0` */
  readonly version: string;
  readonly method: string;
  /** The path after the version, split into parts. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The requested rows per page. */
  readonly batchSize: number;
  /** Milliseconds since 1970; minus infinity where the header is missing. */
  readonly ifModifiedSince: number;
  /** Of a write. Undefined: there is no condition. */
  readonly ifUnmodifiedSince?: number | undefined;
  /** Whether a duplicate rule that alerts lets the record be saved. */
  readonly allowsDuplicates?: boolean | undefined;
  /** The JSON body; invalid JSON is rejected. */
  readonly body: () => unknown;
  readonly database: Database;
}

export function allow(apiRequest: ApiRequest, ...methods: readonly string[]): void {
  if (methods.includes(apiRequest.method)) return;
  const message = `HTTP Method '${apiRequest.method}' not allowed. Allowed are ${methods.join(',')}`;
  throw new SalesforceError(405, 'METHOD_NOT_ALLOWED', message);
}

/** The decoded parts of a path. One that cannot be decoded matches no route. */
export function decodeParts(segments: readonly string[]): readonly string[] {
  try {
    return segments.filter((segment) => segment !== '').map(decodeURIComponent);
  } catch {
    throw notFound();
  }
}

export function badInput(message: string, errorCode = 'INVALID_INPUT'): SalesforceError {
  return new SalesforceError(400, errorCode, message);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The array of strings that a body must have under this name. */
export function textsOf(body: unknown, name: string): readonly string[] {
  const list = isRecord(body) ? body[name] : undefined;
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw badInput(`${name} must be a list of strings`, 'JSON_PARSER_ERROR');
}
