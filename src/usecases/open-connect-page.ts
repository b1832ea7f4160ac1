import type { Caller } from '../domain/caller.ts';
import type {
  ConnectFlowStore,
  ConnectLink,
  ConnectLinkStatus,
  ConnectLinkStore,
  ConnectServices,
  VisitedLink,
} from '../domain/connect-link.ts';
import type { Connection } from '../domain/connection.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Tracer } from '../domain/log.ts';
import type { Login } from '../domain/oauth.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { digest } from '../lib/digest.ts';
import { findConnectLink, linkNotFound, type WantedLink } from './connect-link.ts';

/** What a link's page shows. It uses nothing up: scanners of mails follow links as well. */
export async function openConnectPage(deps: OpenPageDeps, token: string): Promise<OpenedPage> {
  const linkId = deps.connecting.linkTokens.verify(token);
  if (linkId === undefined) return { problem: 'FORGED' };
  const visited = await deps.flows.findLink(linkId);
  // With its customer, or days after its end.
  if (!visited) return { problem: 'CANCELED' };
  const problem = ENDED[visited.link.status];
  if (problem) return { problem, visited };
  const offers = visited.link.providers.flatMap((name) => toOffer(deps.providers.get(name), visited));
  return { visited, offers };
}

/** Where the application said the login page, the customer is not asked for it. */
function toOffer(provider: Provider | undefined, { link }: VisitedLink): readonly Offer[] {
  if (!provider?.authorization) return [];
  const { logins, ownLoginExample } = provider.authorization;
  const isChoice = link.loginUrl === null && (logins.length > 1 || ownLoginExample !== undefined);
  return [{ provider: provider.name, logins: isChoice ? logins : [], ...(isChoice && { ownLoginExample }) }];
}

export const ENDED: Readonly<Record<ConnectLinkStatus, PageProblem | undefined>> = {
  PENDING: undefined,
  STARTED: undefined,
  AWAITING_CONFIRMATION: 'ALREADY_USED',
  COMPLETED: 'ALREADY_USED',
  FAILED: 'ENDED',
  EXPIRED: 'EXPIRED',
  CANCELED: 'CANCELED',
};

/**
 * The application says that the person who consented is the one whom it sent: only now the tokens are kept for use. Called
 * in the session of that person, with the code that their browser brought back.
 */
export function confirmConnectLink(deps: ConfirmLinkDeps, input: ConfirmLinkInput): Promise<ConfirmedLink> {
  return deps.withSpan('confirmConnectLink', async () => {
    if (deps.requireCaller().customer) {
      throw new CrossbookError('FORBIDDEN', 'A customer token reads; only an API key may confirm.');
    }
    await findConnectLink(deps, input);
    const confirmation = await deps.connectLinks.confirm(input.id, digest(input.code));
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

export type OpenedPage =
  | { readonly problem: PageProblem; readonly visited?: VisitedLink }
  | { readonly visited: VisitedLink; readonly offers: readonly Offer[]; readonly problem?: undefined };

/** Why a page leads no further. None of them changes the link. */
export type PageProblem =
  | 'FORGED'
  | 'EXPIRED'
  | 'ALREADY_USED'
  | 'ENDED'
  | 'CANCELED'
  | 'WRONG_BROWSER'
  | 'WRONG_SITE'
  | 'TOO_MANY'
  | 'UNCLEAR'
  | 'NOT_SET_UP';

/** One provider to choose. */
export interface Offer {
  readonly provider: ProviderName;
  /** More than one place to log in at; empty where there is nothing to choose. */
  readonly logins: readonly Login[];
  /** How the customer's own login page looks, where they may type it. */
  readonly ownLoginExample?: string | undefined;
}

export interface OpenPageDeps {
  readonly flows: Pick<ConnectFlowStore, 'findLink'>;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly connecting: Pick<ConnectServices, 'linkTokens'>;
}

interface ConfirmLinkInput extends WantedLink {
  readonly code: string;
}

interface ConfirmedLink {
  readonly link: ConnectLink;
  readonly connection: Connection;
}

export interface ConfirmLinkDeps extends Tracer {
  requireCaller(): Caller;
  readonly connectLinks: Pick<ConnectLinkStore, 'find' | 'confirm'>;
  /** As it is stored now: what this process remembers of it is forgotten. */
  readConnectionAnew(target: {
    readonly customerId: string;
    readonly providerName: ProviderName;
  }): Promise<Connection | undefined>;
}
