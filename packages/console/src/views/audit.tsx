import { toQuery } from '../api.ts';
import { Empty, Link, Time } from '../parts/basics.tsx';
import { usePages } from '../parts/pages.ts';
import { LongList } from '../parts/table.tsx';
import { toHref } from '../router.ts';
import { useConsole } from '../state.tsx';
import type { AuditEntry } from '../types.ts';

/** What operators did in the console, newest first. */
export function Audit() {
  const { api, applications } = useConsole();
  const names = new Map(applications.map(({ id, name }) => [id, name]));
  const pages = usePages('audit', async (cursor) => {
    const { entries, pagination } = await api.admin<AuditPage>(
      'GET',
      `/audit${toQuery({ cursor, page_size: 200 })}`,
    );
    return { records: entries, pagination };
  });
  return (
    <>
      <h1>Audit log</h1>
      <p class="soft">
        Sign-ins, changes and look-ups of records in this console in the last 90 days. Values are
        never stored.
      </p>
      <LongList<AuditEntry>
        label="Audit log"
        pages={pages}
        empty={<Empty title="No entries yet" />}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Time', share: 1.2, cell: (entry) => <Time at={entry.created_at} /> },
          { title: 'Action', share: 1.4, cell: (entry) => <code>{entry.action}</code> },
          {
            title: 'Application',
            isWide: true,
            cell: ({ application_id: id }) =>
              id === null ? (
                ''
              ) : (
                <Link href={toHref(['applications', id])}>{names.get(id) ?? id}</Link>
              ),
          },
          {
            title: 'Customer',
            cell: ({ application_id: id, customer_id: customer }) =>
              id === null || customer === null ? (
                ''
              ) : (
                <Link href={toHref(['customers', id, customer])}>{customer}</Link>
              ),
          },
          { title: 'Subject', isWide: true, cell: (entry) => entry.subject ?? '' },
          {
            title: 'Session',
            isWide: true,
            cell: (entry) => <code title={entry.session_id}>{entry.session_id.slice(0, 8)}</code>,
          },
        ]}
      />
    </>
  );
}

interface AuditPage {
  readonly pagination: { readonly next: string | null };
  readonly entries: readonly AuditEntry[];
}
