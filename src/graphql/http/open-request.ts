import { type Allowance, createAllowance, RESPONSE_BOUNDS } from '../../domain/allowance.ts';
import type { Journal } from '../../domain/journal.ts';
import type { HttpHeaders, HttpRequest } from '../../lib/http-message.ts';
import type { RequestContext } from '../../request/context.ts';
import { type Limits, nothingSpent, type Spent } from '../limits.ts';
import type { Documents } from './documents.ts';
import { checkRequest, type Operation, readRequest } from './read-request.ts';

/** From a request to its operations: it is looked at, its caller is known and admitted, then it is read. */
export async function openRequest(
  opened: OpenedRequest,
  { openContext, limits, documents }: OpenDeps,
): Promise<Operation | Operation[]> {
  const { request } = opened;
  checkRequest(request);
  opened.context = await openContext(request.headers, opened.journal);
  const admitted = opened.context.admit();
  // What is known at once is not waited for: a turn of the loop for each request adds up.
  if (admitted) await admitted;
  const applicationId = opened.context.caller?.application.id;
  return readRequest(request, { limits, documents, applicationId });
}

/** The request's own, and a stranger's until it is known who calls. */
export function readAllowance(opened: OpenedRequest): Allowance {
  opened.allowance ??= opened.context?.allowance ?? createAllowance(RESPONSE_BOUNDS.stranger);
  return opened.allowance;
}

export function toOpenedRequest(request: HttpRequest, journal: Journal): OpenedRequest {
  const unknown = { context: undefined, shown: undefined, allowance: undefined };
  return { request, journal, ...unknown, spent: nothingSpent(), tokens: 0 };
}

/** A request while it lives: its operations, where it carries several, share one context. */
export interface OpenedRequest {
  readonly request: HttpRequest;
  readonly journal: Journal;
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
  openContext(headers: HttpHeaders, journal: Journal): Promise<RequestContext>;
  readonly limits: Limits;
  readonly documents: Documents;
}
