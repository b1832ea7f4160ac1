import type { ConnectLinkStore } from './connect-link.ts';
import type { ConnectionStore } from './connection.ts';
import type { ContactCache } from './contact-cache.ts';
import type { CredentialStore } from './credentials.ts';
import type { CustomerStore } from './customer.ts';
import type { OAuthClientStore } from './oauth.ts';
import type { RemovalStore } from './removal.ts';
import type { EventStore, WebhookStore } from './webhook.ts';

/** Everything stored for ONE application. It is opened for its id, and nothing in it can name another's. */
export interface Tenant {
  readonly customers: CustomerStore;
  readonly connections: ConnectionStore;
  readonly credentials: CredentialStore;
  readonly contactCache: ContactCache;
  readonly webhooks: WebhookStore;
  readonly events: EventStore;
  readonly connectLinks: ConnectLinkStore;
  readonly oauthClients: OAuthClientStore;
  readonly removals: RemovalStore;
}
