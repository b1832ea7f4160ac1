import type { Caller } from './caller.ts';
import type { CrossbookError, ErrorCode } from './errors.ts';
import type { ProviderName } from './provider-names.ts';
import type { WorkPermit } from './resources.ts';

/** Where things are told. Fields never hold a body or a secret. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * What one request does: noted where it happens, told once, at its end. Nothing that is noted is a body, a secret or an
 * email.
 */
export interface RequestLog extends Tracer {
  /** Who the request is made for, as its headers say: known before a face sees it. Undefined: a stranger. */
  caller: Caller | undefined;
  /** What the limits of requests have said to it; undefined until its caller is known. */
  rateLimit: RateLimitResult | undefined;
  /** Its place among the requests at work, paused while it waits for a provider. */
  permit: WorkPermit;
  /** Later notes add to earlier ones: a request may ask several customers and providers. */
  record(notes: RequestFields): void;
  /** Once for each error that the client is told of. A bug is logged at once, with its cause. */
  failed(error: CrossbookError): void;
  called(call: ProviderCall): void;
  /** What a face does between reading a request and answering it. */
  operation<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export interface RateLimitResult {
  /** Undefined: there is no limit. */
  readonly quota: Quota | undefined;
  /** What it has counted as, by its cost. */
  readonly units: number;
}

/** How many units of requests a caller may make, as its last response said. */
export interface Quota {
  /** In a minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Until all of it is there again. */
  readonly resetMs: number;
}

export interface Tracer {
  /** One verb at work, for who follows a request on its way. */
  withSpan<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export interface RequestFields {
  readonly face?: 'graphql' | 'rest' | 'connect' | undefined;
  /** One of few: what the face itself calls it. */
  readonly operation?: string | undefined;
  /** What the client calls it. */
  readonly operationName?: string | undefined;
  readonly application?: string | undefined;
  /** Which key or token was used: its public name. */
  readonly credential?: string | undefined;
  readonly customer?: string | undefined;
  readonly provider?: ProviderName | undefined;
  readonly cache?: CacheUse | undefined;
}

/** `stale`: too old, and served because the provider failed. */
type CacheUse = 'hit' | 'miss' | 'stale';

/** One call to a provider, after it. Holds no path, body or secret: emails travel in those. */
export interface ProviderCall {
  readonly provider: ProviderName;
  /** Which of the provider's budgets paid for it; `token` where a token was renewed. */
  readonly budget: string;
  readonly outcome: 'answered' | ErrorCode;
  /** Of the answer, where there was one. */
  readonly status: number | undefined;
  readonly ms: number;
  /** For its turn, before it was sent. */
  readonly waitedMs: number;
}

/** All that is known of a request when it has been answered. */
export interface RequestRecord
  extends Required<
    Pick<RequestFields, 'face' | 'operation' | 'operationName' | 'application' | 'credential'>
  > {
  readonly requestId: string;
  readonly traceId: string;
  readonly method: string;
  /** Without the query string: emails travel there. */
  readonly path: string;
  readonly customers: readonly string[];
  readonly providers: readonly ProviderName[];
  readonly status: number;
  readonly errors: readonly { readonly id: string; readonly code: ErrorCode }[];
  readonly ms: number;
  /** To providers. Of calls that several requests share, each is one request's. */
  readonly calls: number;
  /** Of the answer's body, where its length is known. */
  readonly bytes: number | undefined;
  readonly cache: readonly CacheUse[];
}

/** A request log, from where it is opened and closed. */
export interface OpenRequestLog extends RequestLog {
  readonly requestId: string;
  /** Tells everybody who wants to know; nothing is noted after it. */
  close(answer: Pick<RequestRecord, 'status' | 'bytes'>): void;
}

export interface RequestHead extends TraceHeaders {
  readonly method: string;
  readonly path: string;
}

/** As they came. */
export interface TraceHeaders {
  readonly requestId: string | null;
  readonly traceparent: string | null;
}

/** What was sent away before it was anybody's to answer. Holds nothing else of what was sent. */
export interface RejectedRequest {
  /** Of the bare answer; undefined where the connection was closed without one. */
  readonly status: number | undefined;
  /** Why: Node's word where its parser refused, else ours. One of few. */
  readonly code: string;
  /** Of the error in the answer. */
  readonly errorId?: string | undefined;
  /** Where there were headers that could be read. */
  readonly arrival?: TraceHeaders | undefined;
}
