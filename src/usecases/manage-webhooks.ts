import { CrossbookError } from '../domain/errors.ts';
import type { Timing } from '../domain/journal.ts';
import {
  type EndpointChange,
  type EndpointWithSecret,
  MAX_ENDPOINTS,
  MAX_REDELIVERED_IDS,
  type NewEndpoint,
  type Redelivered,
  type WebhookEndpoint,
  type WebhookStore,
} from '../domain/webhook.ts';
import { isRfc3339 } from '../lib/is-rfc3339.ts';
import { type ApiKeyDeps, requireApiKey } from './require-api-key.ts';

/** Where an application hears of events, all of it by its API key. */
export function listWebhookEndpoints(deps: WebhookDeps): Promise<readonly WebhookEndpoint[]> {
  return deps.timed('listWebhookEndpoints', async () => {
    requireApiKey(deps);
    return deps.webhooks.list();
  });
}

export function createWebhookEndpoint(deps: UrlDeps, wanted: NewEndpoint): Promise<EndpointWithSecret> {
  return deps.timed('createWebhookEndpoint', async () => {
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
  return deps.timed('updateWebhookEndpoint', async () => {
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
  return deps.timed('deleteWebhookEndpoint', async () => {
    requireApiKey(deps);
    if (!(await deps.webhooks.remove(id))) unknown(id);
  });
}

export function rotateWebhookSecret(deps: WebhookDeps, id: string): Promise<EndpointWithSecret> {
  return deps.timed('rotateWebhookSecret', async () => {
    requireApiKey(deps);
    return (await deps.webhooks.rotateSecret(id)) ?? unknown(id);
  });
}

/** Either events by their ids, or all since a time. */
export function redeliverEvents(deps: WebhookDeps, wish: RedeliveryWish): Promise<Redelivered> {
  return deps.timed('redeliverEvents', async () => {
    requireApiKey(deps);
    return (await deps.webhooks.redeliver(wish.id, readWish(wish))) ?? unknown(wish.id);
  });
}

function readWish({ eventIds, since }: RedeliveryWish) {
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

export interface RedeliveryWish {
  /** Of the endpoint. */
  readonly id: string;
  readonly eventIds?: readonly string[] | null | undefined;
  readonly since?: string | null | undefined;
}

interface WebhookDeps extends ApiKeyDeps, Timing {
  readonly webhooks: WebhookStore;
}

interface UrlDeps extends WebhookDeps {
  checkWebhookUrl(url: string): Promise<{ readonly url: string } | { readonly problem: string }>;
}
