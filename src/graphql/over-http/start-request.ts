import { type Allowance, createAllowance, RESPONSE_BOUNDS } from '../../domain/allowance.ts';
import type { RequestLog } from '../../domain/request-log.ts';
import type { HttpHeaders, HttpRequest } from '../../lib/http-message.ts';
import type { RequestContext } from '../../request/context.ts';
import { type Limits, nothingSpent, type Spent } from '../limits.ts';
import type { PersistedOperations } from './persisted-operations.ts';
import { checkRequest, type Operation, readRequest } from './read-request.ts';

/** From a request to its operations: it is looked at, its caller is known and admitted, then it is read. */
export function startRequest(opened: GraphQLRequest, deps: OpenDeps): MaybePromise<Operation | Operation[]> {
  const { request, requestLog } = opened;
  checkRequest(request);
  const context = deps.openContext(request.headers, requestLog);
  // What is known at once is not waited for: a turn of the loop for each request adds up.
  if (context instanceof Promise) return context.then((known) => readAdmitted(opened, known, deps));
  return readAdmitted(opened, context, deps);
}

function readAdmitted(
  opened: GraphQLRequest,
  context: RequestContext,
  { limits, documents }: OpenDeps,
): MaybePromise<Operation | Operation[]> {
  opened.context = context;
  const applicationId = context.caller?.application.id;
  const admitted = context.admit();
  const read = () => readRequest(opened.request, { limits, documents, applicationId });
  return admitted ? admitted.then(read) : read();
}

/** The request's own, and a stranger's until it is known who calls. */
export function readAllowance(opened: GraphQLRequest): Allowance {
  opened.allowance ??= opened.context?.allowance ?? createAllowance(RESPONSE_BOUNDS.stranger);
  return opened.allowance;
}

export function toGraphQLRequest(request: HttpRequest, requestLog: RequestLog): GraphQLRequest {
  const unknown = { context: undefined, shown: undefined, allowance: undefined };
  return { request, requestLog, ...unknown, spent: nothingSpent(), tokens: 0 };
}

/** A request while it lives: its operations, where it carries several, share one context. */
export interface GraphQLRequest {
  readonly request: HttpRequest;
  readonly requestLog: RequestLog;
  /** Once it is known who calls. */
  context: RequestContext | undefined;
  /** As plugins see it, once there was an operation. */
  shown: Request | undefined;
  /** Once something has been made for its response. */
  allowance: Allowance | undefined;
  /** What its operations have so far. */
  readonly spent: Spent;
  /** Of its documents so far. */
  tokens: number;
}

export interface OpenDeps {
  openContext(headers: HttpHeaders, requestLog: RequestLog): MaybePromise<RequestContext>;
  readonly limits: Limits;
  readonly documents: PersistedOperations;
}

type MaybePromise<Value> = Value | Promise<Value>;
