import { useState } from 'react';
import { useQuery } from 'urql';
import { ConnectButton } from './connect-button.tsx';
import { ContactForm } from './contact-form.tsx';
import { ContactList } from './contact-list.tsx';
import type { CrmInfo } from './crms.ts';
import { Drawer } from './drawer.tsx';
import { FailureNote } from './failure-note.tsx';
import {
  type ContactFilter,
  type ContactPageFragment,
  TurnPageDocument,
} from './operations.generated.ts';
import type { PAGE_SIZE } from './page-size.ts';
import { Pager } from './pager.tsx';
import { type Failure, readFailure } from './read-failure.ts';
import { type Connection, whyReadOnly } from './write-access.ts';

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
  const [isAdding, setIsAdding] = useState(false);
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
  const readOnly = needsConnecting ? undefined : whyReadOnly(crm, connection);

  return (
    <section className={`column ${crm.alias}`} aria-labelledby={crm.alias} aria-busy={isLoading}>
      <header>
        <span className="badge" aria-hidden="true">
          {crm.title[0]}
        </span>
        <h2 id={crm.alias}>{crm.title}</h2>
        {connection && <p className="account">{connection.account?.name ?? 'Connected'}</p>}
        {!needsConnecting && readOnly === undefined && (
          <button type="button" className="quiet" onClick={() => setIsAdding(true)}>
            Add contact
          </button>
        )}
      </header>
      {needsConnecting ? (
        <ConnectButton
          crm={crm}
          reason={
            connection
              ? `${crm.title} no longer lets us in. Connect it again.`
              : `Connect ${crm.title} to find and edit your contacts there.`
          }
          label={`Connect ${crm.title}`}
          onConnected={onConnected}
        />
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
      {readOnly !== undefined && (
        <ConnectButton
          crm={crm}
          reason={readOnly}
          label="Allow changes"
          onConnected={onConnected}
        />
      )}
      {isAdding && (
        <Drawer title={`New contact in ${crm.title}`} onClose={() => setIsAdding(false)}>
          <ContactForm
            crm={crm}
            onSaved={(contactId) => {
              setIsAdding(false);
              onReload();
              if (contactId !== undefined) onOpen(contactId);
            }}
          />
        </Drawer>
      )}
    </section>
  );
}

interface ColumnProps {
  readonly crm: CrmInfo;
  readonly filter: ContactFilter;
  /** Undefined: not connected. */
  readonly connection: Connection | undefined;
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
