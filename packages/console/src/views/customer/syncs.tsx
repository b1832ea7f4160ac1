import { Empty, Link, Section, Show, Status, Time } from '../../parts/basics.tsx';
import { Change } from '../../parts/change.tsx';
import { toProvider, toWords } from '../../parts/names.ts';
import { Shortened, Table } from '../../parts/table.tsx';
import { toHref } from '../../router.ts';
import { same } from '../../same.ts';
import { useConsole, useLoad } from '../../state.tsx';
import type { Sync } from '../../types.ts';
import { type OfCustomer, toPath, useHistory, type WithConnections } from './of-customer.ts';

export function Syncs({ connections, ...own }: WithConnections) {
  const { api } = useConsole();
  const { applicationId, customerId } = own;
  const loaded = useLoad(`syncs ${applicationId} ${customerId}`, async () => {
    const found = await Promise.all(
      connections.map(async ({ provider_name: provider }) => {
        const path = toPath(customerId, `/connections/${provider}/syncs`);
        const { records } = await api.of<{ records: readonly Sync[] }>(applicationId, 'GET', path);
        return records.map((sync) => ({ ...sync, provider, path }));
      }),
    );
    return found.flat();
  });
  return (
    <>
      <Section
        id="syncs"
        title="Syncs"
        actions={
          <button type="button" class="plain" onClick={loaded.reload}>
            Refresh
          </button>
        }
      >
        <Show of={loaded}>
          {(rows) => (
            <Table<SyncRow>
              label="Syncs"
              rows={rows}
              empty={<NoSyncs {...own} />}
              keyOf={({ provider, table }) => `${provider} ${table}`}
              columns={[
                { title: 'CRM', cell: ({ provider }) => toProvider(provider) },
                { title: 'Table', cell: ({ table }) => <code>{table}</code> },
                {
                  title: 'Status',
                  cell: ({ status, pause_reason: reason, error }) => (
                    <>
                      <Status value={status} note={reason} />
                      {error ? <span class="second small">{error.detail}</span> : null}
                    </>
                  ),
                },
                { title: 'Progress', cell: toProgress },
                { title: 'Synced until', cell: (row) => <Time at={row.synced_until} /> },
                {
                  title: 'Next run',
                  cell: (row) => (row.next_run_at ? <Time at={row.next_run_at} /> : null),
                },
                {
                  title: 'Actions',
                  cell: (row) => <SyncActions {...own} sync={row} reload={loaded.reload} />,
                },
              ]}
            />
          )}
        </Show>
      </Section>
      <Runs {...own} />
    </>
  );
}

function NoSyncs({ applicationId }: OfCustomer) {
  return (
    <Empty title="Nothing is synced">
      Syncs copy records to the application’s database. They start when{' '}
      <Link href={toHref(['applications', applicationId], { tab: 'syncs' })}>
        the application has a destination
      </Link>{' '}
      and a sync configuration.
    </Empty>
  );
}

function toProgress({ progress, last_run: run }: Sync): string {
  if (progress)
    return `${progress.records.toLocaleString()} rows so far${progress.is_full ? ' (full run)' : ''}`;
  return run ? `${run.records.toLocaleString()} rows in the last run` : '';
}

function SyncActions({ applicationId, customerId, sync, reload }: SyncActionsProps) {
  const { api } = useConsole();
  const target = { customerId, provider: sync.provider, table: sync.table };
  const change =
    (verb: Verb, full = false) =>
    async () => {
      const body = { table: sync.table, ...(full && { full }) };
      await api.of(applicationId, 'POST', `${sync.path}/_${verb}`, { body });
      reload();
      return {
        text: `The sync of ${sync.table} was ${PAST[verb]}.`,
        same: full ? same.startFullSync(target) : same[`${verb}Sync`](target),
      };
    };
  return (
    <span class="wrap">
      {sync.status === 'paused' ? (
        <Change text="Resume" run={change('resume')} />
      ) : (
        <>
          <Change text="Start" run={change('start')} />
          <Change
            text="Start full run"
            question={
              <p>
                A full run reads all records of the CRM. It uses at most half of the connection’s
                rate limit.
              </p>
            }
            run={change('start', true)}
          />
          <Change text="Pause" run={change('pause')} />
        </>
      )}
    </span>
  );
}

type Verb = keyof typeof PAST;
const PAST = { start: 'started', pause: 'paused', resume: 'resumed' } as const;

interface SyncRow extends Sync {
  readonly provider: string;
  /** Of the connection's syncs, in the REST API. */
  readonly path: string;
}

interface SyncActionsProps extends OfCustomer {
  readonly sync: SyncRow;
  reload(): void;
}

function Runs(own: OfCustomer) {
  const history = useHistory(own);
  return (
    <Section id="runs" title="History">
      <Show of={history}>
        {({ runs }) => (
          <Shortened
            label="Sync runs"
            rows={runs}
            empty={<Empty title="No run has ended yet" />}
            keyOf={(run) => `${run.provider_name} ${run.kind} ${run.object} ${run.finished_at}`}
            columns={[
              { title: 'Ended', cell: (run) => <Time at={run.finished_at} /> },
              { title: 'CRM', cell: (run) => toProvider(run.provider_name) },
              { title: 'Object', cell: ({ object }) => toWords(object) },
              { title: 'Run', cell: (run) => (run.is_full ? 'Full' : 'Changes') },
              { title: 'Rows', isNumber: true, cell: (run) => run.records.toLocaleString() },
              { title: 'Deleted', isNumber: true, cell: (run) => run.deleted.toLocaleString() },
              {
                title: 'Result',
                cell: ({ error }) =>
                  error ? (
                    <>
                      <Status value="failed" note={error.code} />
                      <span class="second small">{error.detail}</span>
                    </>
                  ) : (
                    <Status value="completed" />
                  ),
              },
            ]}
          />
        )}
      </Show>
    </Section>
  );
}
