import { CrossbookError } from '../domain/errors.ts';
import {
  type EndpointChange,
  type Event,
  type EventStore,
  MAX_ENDPOINTS,
  MAX_REDELIVERED_IDS,
  type NewEndpoint,
  type Redelivery,
  type WebhookStore,
} from '../domain/event.ts';
import type { ListPage, Signer } from '../domain/page.ts';
import type { CheckedUrl } from '../domain/urls.ts';
import { isRfc3339, isUuid, quote } from '../lib/text.ts';
import { type CallerDeps, withApiKey } from './authorization.ts';
import { listByTime } from './list-by-time.ts';

/** The webhook endpoints of an application. All functions here require its API key. */
export function listWebhookEndpoints(deps: WebhookDeps) {
  return withApiKey(deps, 'listWebhookEndpoints', () => deps.webhooks.list());
}

export function createWebhookEndpoint(deps: WebhookUrlDeps, endpoint: NewEndpoint) {
  return withApiKey(deps, 'createWebhookEndpoint', async () => {
    const url = await checkUrl(deps, endpoint.url);
    const made = await deps.webhooks.create({ url, eventTypes: [...new Set(endpoint.eventTypes)] });
    if (made) return made;
    throw new CrossbookError(
      'CONFLICT',
      `There are already ${MAX_ENDPOINTS} endpoints, which is the maximum.`,
    );
  });
}

export function updateWebhookEndpoint(
  deps: WebhookUrlDeps,
  { id, url, eventTypes, enabled }: EndpointChange & { readonly id: string },
) {
  return withEndpoint(deps, 'updateWebhookEndpoint', id, async () => {
    const change = {
      url: url === undefined ? undefined : await checkUrl(deps, url),
      eventTypes: eventTypes && [...new Set(eventTypes)],
      enabled,
    };
    return deps.webhooks.update(id, change);
  });
}

export async function deleteWebhookEndpoint(deps: WebhookDeps, id: string): Promise<void> {
  const remove = async () => (await deps.webhooks.remove(id)) || undefined;
  await withEndpoint(deps, 'deleteWebhookEndpoint', id, remove);
}

export function rotateWebhookSecret(deps: WebhookDeps, id: string) {
  return withEndpoint(deps, 'rotateWebhookSecret', id, () => deps.webhooks.rotateSecret(id));
}

/** Redelivers events by their ids, or all since a time. */
export function redeliverEvents(
  deps: WebhookDeps,
  { id, ...redelivery }: RedeliveryInput & { readonly id: string },
) {
  return withEndpoint(deps, 'redeliverEvents', id, async () =>
    deps.webhooks.redeliver(id, readRedelivery(redelivery)),
  );
}

/** Queues a test event for an endpoint, regardless of its types. */
export function sendTestEvent(deps: WebhookDeps, id: string): Promise<Event> {
  return withEndpoint(deps, 'sendTestEvent', id, () => deps.webhooks.sendTest(id));
}

function readRedelivery(input: RedeliveryInput): Redelivery {
  const [eventIds, since] = [input.eventIds ?? undefined, input.since ?? undefined];
  if ((eventIds === undefined) === (since === undefined)) {
    throw new CrossbookError('BAD_REQUEST', 'Specify either `eventIds` or `since`.');
  }
  if (since !== undefined) {
    if (isRfc3339(since)) return { since: new Date(since) };
    throw new CrossbookError(
      'BAD_REQUEST',
      '`since` must be an RFC 3339 time, such as 2026-01-31T00:00:00Z.',
    );
  }
  if (eventIds && eventIds.length <= MAX_REDELIVERED_IDS)
    return { eventIds: eventIds.filter(isUuid) };
  throw new CrossbookError(
    'BAD_REQUEST',
    `At most ${MAX_REDELIVERED_IDS} events can be redelivered by id at once.`,
  );
}

async function checkUrl(deps: WebhookUrlDeps, url: string): Promise<string> {
  const checked = await deps.checkWebhookUrl(url);
  if ('url' in checked) return checked.url;
  throw new CrossbookError('UNPROCESSABLE_ENTITY', `The endpoint’s url ${checked.problem}.`);
}

/** Runs an operation on an endpoint, which is undefined if there is none of this id. */
function withEndpoint<T>(
  deps: CallerDeps,
  name: string,
  id: string,
  work: () => Promise<T | undefined>,
) {
  return withApiKey(deps, name, async () => {
    const done = isUuid(id) ? await work() : undefined;
    if (done !== undefined) return done;
    throw new CrossbookError('NOT_FOUND', `There is no webhook endpoint ${quote(id)}.`);
  });
}

/** Lists the events of the last thirty days, the newest first. */
export function listEvents(deps: ListEventsDeps, list: EventList): Promise<ListPage<Event>> {
  const customerId = list.customerId ?? undefined;
  return withApiKey(deps, 'listEvents', (application) =>
    listByTime(deps.cursors, {
      name: 'events',
      applicationId: application.id,
      customerId,
      size: list.size,
      maxSize: MAX_EVENTS,
      cursor: list.cursor,
      find: (page) => deps.events.list({ customerId, ...page }),
    }),
  );
}

/** The maximum of events per page. */
export const MAX_EVENTS = 200;

interface RedeliveryInput {
  readonly eventIds?: readonly string[] | null | undefined;
  readonly since?: string | null | undefined;
}

interface WebhookDeps extends CallerDeps {
  readonly webhooks: WebhookStore;
}

export interface WebhookUrlDeps extends WebhookDeps {
  checkWebhookUrl(url: string): Promise<CheckedUrl>;
}

interface EventList {
  readonly customerId?: string | null | undefined;
  readonly size?: number | null | undefined;
  readonly cursor?: string | null | undefined;
}

export interface ListEventsDeps extends CallerDeps {
  readonly cursors: Signer;
  readonly events: EventStore;
}
