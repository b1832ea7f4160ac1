import { useEffect, useRef, useState } from 'preact/hooks';
import { toQuery } from '../api.ts';
import { ApplicationSelect, Empty, isKept, Link, Status } from '../parts/basics.tsx';
import { toProvider, toWords } from '../parts/names.ts';
import { usePages } from '../parts/pages.ts';
import { LongList } from '../parts/table.tsx';
import { toHref } from '../router.ts';
import { useConsole } from '../state.tsx';
import type { FoundCustomer, Page } from '../types.ts';

/** The customers of an application, by the beginning of their ids and names. */
export function Customers() {
  const { address, applications } = useConsole();
  const { application = applications.find(isKept)?.id } = address.filters;
  if (application === undefined)
    return (
      <>
        <h1>Customers</h1>
        <Empty title="No applications yet">
          <Link href={toHref(['applications'])}>Create an application</Link>. Its backend then
          creates customers.
        </Empty>
      </>
    );
  return <CustomersOf application={application} />;
}

function CustomersOf({ application }: { readonly application: string }) {
  const { api, address, navigate } = useConsole();
  const { q = '', status = '' } = address.filters;
  const [typed, setTyped] = useState(q);
  const go = (filters: Record<string, string>, replace = false) =>
    navigate(toHref(address.path, { ...address.filters, ...filters }), { replace });
  const ownQuery = useRef(q);
  // By going back, say. An address of what was typed here must not replace what has been typed since.
  useEffect(() => {
    if (q !== ownQuery.current) setTyped(q);
    ownQuery.current = q;
  }, [q]);
  // Only when the text has changed, a moment later.
  useEffect(() => {
    if (typed === q) return undefined;
    const timer = setTimeout(() => {
      ownQuery.current = typed;
      go({ q: typed }, true);
    }, 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const pages = usePages<FoundCustomer>(`${application} ${q} ${status}`, (cursor) => {
    const query = toQuery({ prefix: q, status, cursor, page_size: 100 });
    return api.admin<Page<FoundCustomer>>('GET', `/applications/${application}/customers${query}`);
  });
  return (
    <>
      <h1>Customers</h1>
      <search class="filters">
        <label class="grow">
          Start of an ID or a name
          <input
            type="search"
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        </label>
        <ApplicationSelect value={application} onSelect={(id) => go({ application: id })} />
        <label>
          Connection status
          <select value={status} onChange={(event) => go({ status: event.currentTarget.value })}>
            <option value="">Any</option>
            {['connected', 'reauthorize', 'unauthorized'].map((one) => (
              <option key={one} value={one}>
                {toWords(one)}
              </option>
            ))}
          </select>
        </label>
      </search>
      <LongList<FoundCustomer>
        label="Customers"
        pages={pages}
        empty={q || status ? NO_MATCH : NO_CUSTOMERS}
        keyOf={({ customer_id: id }) => id}
        columns={[
          {
            title: 'Customer',
            cell: ({ customer_id: id, name }) => (
              <>
                <Link href={toHref(['customers', application, id])}>{name}</Link>
                <span class="soft small second">{id}</span>
              </>
            ),
          },
          {
            title: 'Email',
            isWide: true,
            cell: ({ email }) => <span class="soft">{email}</span>,
          },
          {
            title: 'Connections',
            share: 1.5,
            cell: ({ connections }) =>
              connections.length === 0 ? (
                <span class="soft">None</span>
              ) : (
                <span class="wrap">
                  {problemsFirst(connections).map(({ provider_name: provider, status: state }) => (
                    <Status key={provider} value={state} of={toProvider(provider)} />
                  ))}
                  {connections.length > 1 ? (
                    <span class="soft small narrow">{connections.length - 1} more</span>
                  ) : null}
                </span>
              ),
          },
        ]}
      />
    </>
  );
}

/** A row has two lines, of which a phone shows the first connection on one, and the number of others on the other. */
function problemsFirst(connections: FoundCustomer['connections']): FoundCustomer['connections'] {
  const isConnected = ({ status }: Connection) => status === 'connected';
  return [
    ...connections.filter((one) => !isConnected(one)),
    ...connections.filter((one) => isConnected(one)),
  ];
}

type Connection = FoundCustomer['connections'][number];

const NO_MATCH = (
  <Empty title="No customer matches">
    The search finds IDs and names that start with the text. Upper and lower case are the same.
  </Empty>
);
const NO_CUSTOMERS = (
  <Empty title="No customers yet">
    The application’s backend creates them with <code>upsertCustomer</code> or{' '}
    <code>PUT /customers</code>.
  </Empty>
);
