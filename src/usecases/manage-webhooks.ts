import type { Caller } from '../domain/caller.ts';
import { MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import {
  type EndpointChange,
  type EndpointWithSecret,
  type Event,
  type EventStore,
  MAX_ENDPOINTS,
  MAX_REDELIVERED_IDS,
  type NewEndpoint,
  type Redelivered,
  type WebhookEndpoint,
  type WebhookStore,
} from '../domain/event.ts';
import type { Tracer } from '../domain/log.ts';
import { type CursorSigner, DEFAULT_PAGE_SIZE } from '../domain/page.ts';
import { isRfc3339 } from '../lib/text.ts';

/** Where an application hears of events, all of it by its API key. */
export function listWebhookEndpoints(deps: WebhookDeps): Promise<readonly WebhookEndpoint[]> {
  return deps.withSpan('listWebhookEndpoints', async () => {
    requireApiKey(deps);
    return deps.webhooks.list();
  });
}

export function createWebhookEndpoint(deps: UrlDeps, wanted: NewEndpoint): Promise<EndpointWithSecret> {
  return deps.withSpan('createWebhookEndpoint', async () => {
    requireApiKey(deps);
    const url = await checkUrl(deps, wanted.url);
    const made = await deps.webhooks.create({ url, eventTypes: [...new Set(wanted.eventTypes)] });
    if (made) return made;
    throw new CrossbookError('CONFLICT', `There are ${MAX_ENDPOINTS} endpoints already, which is the most.`);
  });
}

export function updateWebhookEndpoint(
  deps: UrlDeps,
  { id, url, eventTypes, enabled }: EndpointChange & { readonly id: string },
): Promise<WebhookEndpoint> {
  return deps.withSpan('updateWebhookEndpoint', async () => {
    requireApiKey(deps);
    const change = {
      url: url === undefined ? undefined : await checkUrl(deps, url),
      eventTypes: eventTypes && [...new Set(eventTypes)],
      enabled,
    };
    return (await deps.webhooks.update(id, change)) ?? unknown(id);
  });
}

export function deleteWebhookEndpoint(deps: WebhookDeps, id: string): Promise<void> {
  return deps.withSpan('deleteWebhookEndpoint', async () => {
    requireApiKey(deps);
    if (!(await deps.webhooks.remove(id))) unknown(id);
  });
}

export function rotateWebhookSecret(deps: WebhookDeps, id: string): Promise<EndpointWithSecret> {
  return deps.withSpan('rotateWebhookSecret', async () => {
    requireApiKey(deps);
    return (await deps.webhooks.rotateSecret(id)) ?? unknown(id);
  });
}

/** Either events by their ids, or all since a time. */
export function redeliverEvents(deps: WebhookDeps, input: RedeliveryInput): Promise<Redelivered> {
  return deps.withSpan('redeliverEvents', async () => {
    requireApiKey(deps);
    return (await deps.webhooks.redeliver(input.id, readWish(input))) ?? unknown(input.id);
  });
}

function readWish({ eventIds, since }: RedeliveryInput) {
  if (isGiven(eventIds) === isGiven(since)) {
    throw new CrossbookError('BAD_REQUEST', 'Say which events: either by their ids, or since when.');
  }
  if (isGiven(since)) {
    if (isRfc3339(since)) return { since: new Date(since) };
    throw new CrossbookError('BAD_REQUEST', 'Events are redelivered since a moment as in RFC 3339.');
  }
  const ids = eventIds ?? [];
  if (ids.length <= MAX_REDELIVERED_IDS) return { eventIds: ids };
  throw new CrossbookError('BAD_REQUEST', `At most ${MAX_REDELIVERED_IDS} events are named at once.`);
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== undefined && value !== null;
}

async function checkUrl(deps: UrlDeps, url: string): Promise<string> {
  const checked = await deps.checkWebhookUrl(url);
  if ('url' in checked) return checked.url;
  throw new CrossbookError('UNPROCESSABLE_ENTITY', `The endpoint’s url ${checked.problem}.`);
}

function unknown(id: string): never {
  throw new CrossbookError('NOT_FOUND', `There is no webhook endpoint ${JSON.stringify(id.slice(0, 100))}.`);
}

/** The events of the last thirty days, the newest first. */
export function listEvents(deps: ListEventsDeps, wanted: EventList): Promise<EventPage> {
  return deps.withSpan('listEvents', async () => {
    const { application } = requireApiKey(deps);
    const customerId = wanted.customerId ?? undefined;
    if (customerId !== undefined && customerId.length > MAX_CUSTOMER_ID_LENGTH) {
      throw new CrossbookError('BAD_REQUEST', 'No customer has so long an id.');
    }
    const cursors = deps.cursors.bind(() => JSON.stringify(['events', application.id, customerId ?? null]));
    const size = readSize(wanted.size);
    const after = readCursor(wanted.cursor, (cursor) => cursors.verify(cursor));
    const found = await deps.events.list({ customerId, after, limit: size + 1 });
    return {
      events: found.slice(0, size),
      hasNextPage: found.length > size,
      // The event that the cursor names is newer than all that follow.
      hasPreviousPage: after !== undefined,
      cursorOf: ({ createdAt, id }) => cursors.sign(`${createdAt.toISOString()} ${id}`),
    };
  });
}

function readSize(size: number | null | undefined): number {
  const wanted = size ?? DEFAULT_PAGE_SIZE;
  if (Number.isInteger(wanted) && wanted >= 0 && wanted <= MAX_EVENTS) return wanted;
  throw new CrossbookError('BAD_REQUEST', `The page size must be from 0 to ${MAX_EVENTS}; it is ${wanted}.`);
}

function readCursor(cursor: string | null | undefined, verify: (cursor: string) => string | undefined) {
  if (cursor === null || cursor === undefined) return undefined;
  const [createdAt, id] = (cursor.length <= MAX_CURSOR_LENGTH ? verify(cursor) : undefined)?.split(' ') ?? [];
  if (createdAt !== undefined && id !== undefined) return { createdAt: new Date(createdAt), id };
  throw new CrossbookError(
    'BAD_REQUEST',
    'The cursor is not one that this list has given: use it unchanged, with the same customer.',
  );
}

const MAX_CURSOR_LENGTH = 1_024;
/** On one page. */
export const MAX_EVENTS = 200;

/** What concerns the whole application is not for a customer's token. */
function requireApiKey(deps: Pick<ApiKeyDeps, 'requireCaller'>): Caller {
  const caller = deps.requireCaller();
  if (!caller.customer) return caller;
  throw new CrossbookError('FORBIDDEN', 'A customer token reads its customer: this takes an API key.');
}

interface RedeliveryInput {
  /** Of the endpoint. */
  readonly id: string;
  readonly eventIds?: readonly string[] | null | undefined;
  readonly since?: string | null | undefined;
}

interface WebhookDeps extends ApiKeyDeps, Tracer {
  readonly webhooks: WebhookStore;
}

interface UrlDeps extends WebhookDeps {
  checkWebhookUrl(url: string): Promise<{ readonly url: string } | { readonly problem: string }>;
}

interface EventList {
  readonly customerId?: string | null | undefined;
  readonly size?: number | null | undefined;
  readonly cursor?: string | null | undefined;
}

export interface EventPage {
  readonly events: readonly Event[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  cursorOf(event: Event): string;
}

interface ListEventsDeps extends ApiKeyDeps, Tracer {
  readonly cursors: CursorSigner;
  readonly events: EventStore;
}

interface ApiKeyDeps {
  requireCaller(): Caller;
}
