import type { Caller } from '../domain/caller.ts';
import type { ConnectLink, ConnectLinkStore } from '../domain/connect-link.ts';
import type { Connection } from '../domain/connection.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Timing } from '../domain/journal.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { digest } from '../lib/digest.ts';
import { findConnectLink, linkNotFound, type WantedLink } from './find-connect-link.ts';

/**
 * The application says that the person who consented is the one whom it sent: only now the tokens are kept for use. Called
 * in the session of that person, with the code that their browser brought back.
 */
export function confirmConnectLink(deps: ConfirmLinkDeps, wish: ConfirmWish): Promise<ConfirmedLink> {
  return deps.timed('confirmConnectLink', async () => {
    if (deps.requireCaller().customer) {
      throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may confirm.');
    }
    await findConnectLink(deps, wish);
    const confirmation = await deps.connectLinks.confirm(wish.id, digest(wish.code));
    if (!confirmation) throw linkNotFound();
    const { outcome, link } = confirmation;
    const { customerId, providerName } = link;
    if (outcome !== 'confirmed' || providerName === null) throw notConfirmed(link);
    const connection = await deps.readConnectionAnew({ customerId, providerName });
    if (!connection) throw linkNotFound();
    return { link, connection };
  });
}

function notConfirmed({ status, failure }: ConnectLink): CrossbookError {
  if (status === 'AWAITING_CONFIRMATION') {
    return new CrossbookError('CONFLICT', 'The code is not the one that the link waits for.');
  }
  const reason = failure === null ? '' : ` (${failure})`;
  return new CrossbookError('CONFLICT', `The link waits for no confirmation: it is ${status}${reason}.`);
}

export interface ConfirmWish extends WantedLink {
  readonly code: string;
}

export interface ConfirmedLink {
  readonly link: ConnectLink;
  readonly connection: Connection;
}

export interface ConfirmLinkDeps extends Timing {
  requireCaller(): Caller;
  readonly connectLinks: Pick<ConnectLinkStore, 'find' | 'confirm'>;
  /** As it is stored now: what this process remembers of it is forgotten. */
  readConnectionAnew(target: {
    readonly customerId: string;
    readonly providerName: ProviderName;
  }): Promise<Connection | undefined>;
}
