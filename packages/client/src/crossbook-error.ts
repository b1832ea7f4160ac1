import type { ErrorCode } from './error-codes.generated.ts';

/** Any failure: reported by the server, an unreachable server, or a response that is not from Crossbook. */
export class CrossbookError extends Error {
  override readonly name = 'CrossbookError';
  readonly code: CrossbookErrorCode;
  /** The HTTP status of the error; undefined without a response. All failures of a CRM are 499. */
  readonly status: number | undefined;
  /** The id of this instance in the server's log. */
  readonly id: string | undefined;
  readonly detail: string;
  /** Whether a retry may succeed. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  /** The CRM's response, if any: `{ code, body, headers }`. */
  readonly remote: RemoteAnswer | undefined;

  constructor(error: ClientError, options: { readonly cause?: unknown } = {}) {
    super(error.detail, options);
    this.code = error.code;
    this.status = error.status;
    this.id = error.id;
    this.detail = error.detail;
    this.retryable = error.retryable;
    this.retryAfterMs = error.retryAfterMs;
    this.remote = error.remote;
  }
}

/** Reads a GraphQL error: ours, or a gateway's with fewer extensions. Undefined if it is neither. */
export function toClientError(error: unknown, status: number): ClientError | undefined {
  const { message, extensions } = { ...asObject(error) };
  const { code, id, detail, status: own, meta } = { ...asObject(extensions) };
  const { retryable, retry_after_ms: retryAfterMs, cause } = { ...asObject(meta) };
  if (typeof message !== 'string') return undefined;
  return {
    code: typeof code === 'string' ? (code as CrossbookErrorCode) : 'BAD_ANSWER',
    status: Number(own ?? status) || status,
    id: typeof id === 'string' ? id : undefined,
    detail: typeof detail === 'string' ? detail : message,
    retryable: retryable === true,
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    remote: cause as RemoteAnswer | undefined,
  };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The server's codes, and two of the client: no response, and a response that is not GraphQL. */
export type CrossbookErrorCode = ErrorCode | 'NO_ANSWER' | 'BAD_ANSWER';

/** The fields of an error, of which a failure without a response of Crossbook lacks some. */
export type ClientError = Pick<CrossbookError, 'code' | 'status' | 'detail' | 'retryable'> &
  Partial<Pick<CrossbookError, 'id' | 'retryAfterMs' | 'remote'>>;

export interface RemoteAnswer {
  readonly code: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}
