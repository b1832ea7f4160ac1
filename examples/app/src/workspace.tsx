import { useState } from 'react';
import { useQuery } from 'urql';
import { Brand } from './brand.tsx';
import { Column } from './column.tsx';
import { ContactDialog } from './contact-dialog.tsx';
import { CRMS } from './crms.ts';
import {
  ConnectionsDocument,
  type ContactFilter,
  SearchContactsDocument,
} from './operations.generated.ts';
import { PAGE_SIZE } from './page-size.ts';
import { readFailure } from './read-failure.ts';
import { SandboxBar } from './sandbox-bar.tsx';
import { SearchForm } from './search-form.tsx';

/** Both CRMs side by side: one operation searches them, and each can fail separately. */
export function Workspace({ customerId, onSignOut }: WorkspaceProps) {
  const [filter, setFilter] = useState(customerId === 'demo' ? DEMO_FILTER : FIRST_FILTER);
  const [opened, setOpened] = useState<string>();
  const [{ data, error }, reloadConnections] = useQuery({ query: ConnectionsDocument });
  const connections = data?.customer?.connections ?? [];
  const findConnection = (provider: string) =>
    connections.find((one) => one.providerName === provider && one.status !== 'UNAUTHORIZED');
  const [hubspot, salesforce] = CRMS.map(({ provider }) => findConnection(provider) !== undefined);
  const isAnyConnected = hubspot === true || salesforce === true;

  const [found, searchAgain] = useQuery({
    query: SearchContactsDocument,
    variables: {
      filter,
      first: PAGE_SIZE,
      hubspot: hubspot === true,
      salesforce: salesforce === true,
    },
    pause: !isAnyConnected,
  });
  const failure = readFailure(error, 'customer');
  const again = () => {
    reloadConnections();
    if (isAnyConnected) searchAgain();
  };

  return (
    <>
      <header className="top">
        <Brand />
        <p className="who">{data?.customer?.name}</p>
        <button type="button" className="quiet" onClick={onSignOut}>
          Sign out
        </button>
      </header>
      <main>
        <h1 className="hidden">Contacts</h1>
        <SearchForm key={JSON.stringify(filter)} filter={filter} onSearch={setFilter} />
        {failure && <p role="alert">{`${failure.title}. ${failure.detail}`}</p>}
        <div className="columns">
          {data?.customer &&
            CRMS.map((crm) => (
              <Column
                // A new search starts at its first page.
                key={`${crm.alias} ${JSON.stringify(filter)}`}
                {...{ crm, filter }}
                connection={findConnection(crm.provider)}
                first={{
                  page: found.data?.[crm.alias] ?? undefined,
                  failure: found.data?.[crm.alias]
                    ? undefined
                    : readFailure(found.error, crm.alias, crm.title),
                  isLoading: found.fetching,
                }}
                onReload={again}
                onConnected={() => {
                  setFilter(FIRST_FILTER);
                  again();
                }}
                onOpen={setOpened}
              />
            ))}
        </div>
      </main>
      <SandboxBar onChange={again} />
      {opened !== undefined && (
        <ContactDialog
          key={opened}
          id={opened}
          findConnection={findConnection}
          onSaved={again}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  );
}

/** Finds more than a thousand contacts in the demo's data. */
const DEMO_FILTER: ContactFilter = { emailDomain: 'lumen.example' };

/** Everybody's account has an Ada, so that the first search finds someone. */
const FIRST_FILTER: ContactFilter = { email: 'ada@example.com' };

interface WorkspaceProps {
  readonly customerId: string;
  onSignOut(): void;
}
