import type { HttpHeaders } from '../lib/http-message.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { Caller } from './caller.ts';
import type { CrossbookError, ErrorCode } from './errors.ts';
import type { ProviderName } from './provider-names.ts';
import type { UsageOwner } from './usage.ts';

/** The log. Fields never contain a body or a secret. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Collects what one request does and is written once, at its end. Contains no body, secret or email. */
export interface RequestLog extends Tracer {
  /** Adds to earlier notes: a request may concern several customers and providers. */
  record(notes: RequestFields): void;
  /** Called once per reported error. Bugs are logged at once with their cause. */
  failed(error: CrossbookError): void;
  /** Without an owner the call is not counted as usage. */
  called(call: ProviderCall, owner?: UsageOwner): void;
  /** Wraps the work of an API between reading and responding. */
  operation<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T>;
}

export interface Tracer {
  /** Traces a piece of work as a span. */
  withSpan<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export interface RequestFields {
  readonly api?: 'graphql' | 'rest' | 'mcp' | 'connect' | 'console' | undefined;
  /** The API's name of the operation, from a closed set. */
  readonly operation?: string | undefined;
  /** The client's name of the operation. */
  readonly operationName?: string | undefined;
  readonly application?: string | undefined;
  /** The public id of the key or token. */
  readonly credential?: string | undefined;
  /** As the client sent it. Not logged where it looks like an email address or a secret, or is too long. */
  readonly customer?: string | undefined;
  readonly provider?: ProviderName | undefined;
  readonly cache?: CacheUse | undefined;
}

/** `stale`: expired, and served because the provider failed. */
type CacheUse = 'hit' | 'miss' | 'stale';

/** A finished provider call, without path, body or secret, because paths and bodies contain emails. */
export interface ProviderCall {
  readonly provider: ProviderName;
  /** The provider's rate limit that it counted towards; `token` for a token refresh. */
  readonly budget: string;
  readonly outcome: 'answered' | ErrorCode;
  /** The status of the response, if any. */
  readonly status: number | undefined;
  readonly ms: number;
  /** The time in the queue of the rate limiter. */
  readonly waitedMs: number;
}

/** An error of a request, without its texts. */
interface LoggedError {
  readonly id: string;
  readonly code: ErrorCode;
  /** Why a provider failed: the status of its response, or the code of the error of the system. */
  readonly reason?: string;
}

/** The complete record of a finished request. */
export interface RequestRecord
  extends Required<
    Pick<RequestFields, 'api' | 'operation' | 'operationName' | 'application' | 'credential'>
  > {
  readonly requestId: string;
  readonly traceId: string;
  readonly method: string;
  /** The template of the path: `/customers/{customer_id}`. The path itself may contain emails and secrets. */
  readonly route: string;
  readonly customers: readonly string[];
  readonly providers: readonly ProviderName[];
  readonly status: number;
  readonly errors: readonly LoggedError[];
  /** True: work was ended because the client has disconnected. The status was never received. */
  readonly clientClosed: true | undefined;
  readonly ms: number;
  /** The number of provider calls. A call shared by several requests is counted for one. */
  readonly calls: number;
  /** The length of the response body, if known. */
  readonly bytes: number | undefined;
  readonly cache: readonly CacheUse[];
}

/** A request log as seen by its creator, which closes it. */
export interface OpenRequestLog extends RequestLog {
  readonly requestId: string;
  /** Writes the record to log, metrics and traces. Must be the last call. */
  close(end: RequestEnd): void;
}

/** How a request ended. `cost` is counted for the caller. */
export interface RequestEnd extends Pick<RequestRecord, 'status' | 'bytes'> {
  readonly caller: Caller | undefined;
  readonly cost: number;
}

/** A request rejected before any handler. Contains nothing else of its content. */
export interface RejectedRequest {
  /** The status of the response; undefined if the connection was closed without one. */
  readonly status: number | undefined;
  /** The reason: Node's parser code, or ours. A closed set. */
  readonly code: string;
  /** The id of the error in the response. */
  readonly errorId?: string | undefined;
  /** Present if they were readable. */
  readonly headers?: HttpHeaders | undefined;
}
