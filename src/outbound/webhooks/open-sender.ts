import type { HostLookup } from '../http/guarded-connector.ts';
import { createWebhookPost } from './post.ts';
import { createWebhookSender, type SenderDeps, type WebhookSender } from './sender.ts';

/** With its own connections. A module of its own, so that it can be loaded late. */
export function openWebhookSender({ mayLoopback, lookup, ...deps }: OpenSenderDeps): WebhookSender {
  const post = createWebhookPost({ clock: deps.clock, mayLoopback, lookup });
  return createWebhookSender({ ...deps, post });
}

interface OpenSenderDeps extends Omit<SenderDeps, 'post'> {
  readonly mayLoopback: boolean;
  readonly lookup?: HostLookup | undefined;
}
