import type { Caller } from '../domain/caller.ts';
import type { ConnectLink, ConnectLinkStore } from '../domain/connect-link.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Timing } from '../domain/journal.ts';

/** One link by its id. What is not the caller's is not there: a customer token sees its customer's links alone. */
export function findConnectLink(deps: FindLinkDeps, wanted: WantedLink): Promise<ConnectLink> {
  return deps.timed('findConnectLink', async () => {
    const link = await deps.connectLinks.find(wanted.id);
    const token = deps.requireCaller().customer;
    const isOwn = token === undefined || token.customerId === link?.customerId;
    if (link && isOwn && isOf(link, wanted)) return link;
    throw linkNotFound();
  });
}

export function isOf(link: ConnectLink, { customerId }: WantedLink): boolean {
  return customerId === undefined || link.customerId === customerId;
}

export function linkNotFound(): CrossbookError {
  return new CrossbookError('NOT_FOUND', 'There is no such connect link.');
}

export interface WantedLink {
  readonly id: string;
  /** Where the link was asked for as one of this customer's. */
  readonly customerId?: string | undefined;
}

export interface FindLinkDeps extends Timing {
  requireCaller(): Caller;
  readonly connectLinks: Pick<ConnectLinkStore, 'find'>;
}
