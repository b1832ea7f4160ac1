import { useState } from 'react';
import { useQuery } from 'urql';
import { ConnectButton } from './connect-button.tsx';
import { ContactList } from './contact-list.tsx';
import type { CrmInfo } from './crms.ts';
import { FailureNote } from './failure-note.tsx';
import {
  type ConnectionsQuery,
  type ContactFilter,
  type ContactPageFragment,
  TurnPageDocument,
} from './operations.generated.ts';
import type { PAGE_SIZE } from './page-size.ts';
import { Pager } from './pager.tsx';
import { type Failure, readFailure } from './read-failure.ts';

/** One CRM. Its first page comes with the search of all CRMs; after that it pages separately. */
export function Column({
  crm,
  filter,
  connection,
  first,
  onReload,
  onConnected,
  onOpen,
}: ColumnProps) {
  const [turn, setTurn] = useState<Turn>();
  const [turned, turnAgain] = useQuery({
    query: TurnPageDocument,
    variables: { provider: crm.provider, filter, ...turn?.cursor },
    pause: turn === undefined,
  });
  const { page, failure, isLoading } = turn
    ? {
        page: turned.data?.page ?? first.page,
        failure: turned.data?.page ? undefined : readFailure(turned.error, 'page', crm.title),
        isLoading: turned.fetching,
      }
    : first;
  const needsConnecting = connection === undefined || connection.status === 'REAUTHORIZE';

  return (
    <section className={`column ${crm.alias}`} aria-labelledby={crm.alias} aria-busy={isLoading}>
      <header>
        <span className="badge" aria-hidden="true">
          {crm.title[0]}
        </span>
        <h2 id={crm.alias}>{crm.title}</h2>
        {connection && <p className="account">{connection.account?.name ?? 'Connected'}</p>}
      </header>
      {needsConnecting ? (
        <ConnectButton crm={crm} isAgain={connection !== undefined} onConnected={onConnected} />
      ) : failure ? (
        <FailureNote failure={failure} isBusy={isLoading} onRetry={turn ? turnAgain : onReload} />
      ) : (
        page && (
          <>
            <ContactList contacts={page.nodes} onOpen={onOpen} />
            <Pager page={page} offset={turn?.offset ?? 0} isBusy={isLoading} onTurn={setTurn} />
          </>
        )
      )}
      {isLoading && !page && !failure && <p className="empty">Searching…</p>}
    </section>
  );
}

interface ColumnProps {
  readonly crm: CrmInfo;
  readonly filter: ContactFilter;
  /** Undefined: not connected. */
  readonly connection: NonNullable<ConnectionsQuery['customer']>['connections'][number] | undefined;
  readonly first: Found;
  onReload(): void;
  onConnected(): void;
  onOpen(contactId: string): void;
}

interface Found {
  readonly page: ContactPageFragment | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
}

export interface Turn {
  readonly cursor:
    | { readonly first: typeof PAGE_SIZE; readonly after: string | null }
    | { readonly last: typeof PAGE_SIZE; readonly before: string | null };
  /** The number of contacts before the page. */
  readonly offset: number;
}
