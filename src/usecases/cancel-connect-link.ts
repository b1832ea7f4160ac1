import type { Caller } from '../domain/caller.ts';
import type { ConnectLink, ConnectLinkStore } from '../domain/connect-link.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Timing } from '../domain/journal.ts';
import { findConnectLink, linkNotFound, type WantedLink } from './find-connect-link.ts';

/** The link leads nowhere any more, also where it waits for its confirmation. To cancel one twice is no mistake. */
export function cancelConnectLink(deps: CancelLinkDeps, wanted: WantedLink): Promise<ConnectLink> {
  return deps.timed('cancelConnectLink', async () => {
    if (deps.requireCaller().customer) {
      throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may cancel links.');
    }
    await findConnectLink(deps, wanted);
    const link = await deps.connectLinks.cancel(wanted.id);
    if (!link) throw linkNotFound();
    if (link.status === 'CANCELED') return link;
    throw new CrossbookError('CONFLICT', `The link cannot be canceled any more: it is ${link.status}.`);
  });
}

export interface CancelLinkDeps extends Timing {
  requireCaller(): Caller;
  readonly connectLinks: Pick<ConnectLinkStore, 'find' | 'cancel'>;
}
