import { ApiError } from '../../api.ts';
import { Empty, Section, Show, Status, Time } from '../../parts/basics.tsx';
import { Change } from '../../parts/change.tsx';
import { RECORD_TITLES, toList, toProvider } from '../../parts/names.ts';
import { Table } from '../../parts/table.tsx';
import { same } from '../../same.ts';
import { useConsole, useLoad } from '../../state.tsx';

/** Where an application syncs to, and what. */
export function Destination({ id }: { readonly id: string }) {
  const { api } = useConsole();
  const loaded = useLoad(`destination ${id}`, async () => {
    const [destination, configurations] = await Promise.all([
      // Without a destination the response is 404.
      api.of<SyncDestination>(id, 'GET', '/sync_destination').catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }),
      api.of<{ records: readonly SyncConfiguration[] }>(id, 'GET', '/sync_configurations'),
    ]);
    return { destination, configurations: configurations.records };
  });
  return (
    <Show of={loaded}>
      {({ destination, configurations }) => (
        <>
          <Section
            id="destination"
            title="Sync destination"
            actions={
              destination ? (
                <Change
                  text="Delete destination"
                  isDanger
                  question={
                    <p>
                      All syncs of the application are paused. The tables in the destination stay as
                      they are. To sync again, the destination has to be set again with its
                      password.
                    </p>
                  }
                  run={async () => {
                    await api.of(id, 'DELETE', '/sync_destination');
                    loaded.reload();
                    return {
                      text: 'The sync destination was deleted.',
                      same: same.deleteSyncDestination(),
                    };
                  }}
                />
              ) : null
            }
          >
            {destination?.postgres ? (
              <dl class="facts">
                <dt>Server</dt>
                <dd>
                  {destination.postgres.host}:{destination.postgres.port}
                </dd>
                <dt>Database</dt>
                <dd>{destination.postgres.database}</dd>
                <dt>Schema</dt>
                <dd>{destination.postgres.schema}</dd>
                <dt>User</dt>
                <dd>{destination.postgres.user}</dd>
                <dt>Changed</dt>
                <dd>
                  <Time at={destination.updated_at} />
                </dd>
              </dl>
            ) : (
              <Empty title="No destination">
                The application’s backend sets it with <code>setSyncDestination</code> or{' '}
                <code>PUT /sync_destination</code>. Its password is never entered here.
              </Empty>
            )}
          </Section>
          <Section id="configurations" title="Sync configurations">
            <Table<SyncConfiguration>
              label="Sync configurations"
              rows={configurations}
              empty={<Empty title="No sync is configured" />}
              keyOf={(row) => row.provider_name}
              columns={[
                { title: 'CRM', cell: (row) => toProvider(row.provider_name) },
                {
                  title: 'Status',
                  cell: (row) => <Status value={row.is_enabled ? 'enabled' : 'paused'} />,
                },
                { title: 'Records', cell: (row) => toList(toObjects(row)) },
                { title: 'Interval', isNumber: true, cell: (row) => `${row.interval_seconds} s` },
                { title: 'Changed', cell: (row) => <Time at={row.updated_at} /> },
              ]}
            />
          </Section>
        </>
      )}
    </Show>
  );
}

function toObjects(row: SyncConfiguration): readonly string[] {
  const objects = [...(row.standard_objects ?? []), ...(row.custom_objects ?? [])];
  return [
    ...(row.contacts ? [RECORD_TITLES.contact] : []),
    ...(row.companies ? [RECORD_TITLES.company] : []),
    ...(row.deals ? [RECORD_TITLES.deal] : []),
    ...objects.map(({ object }) => object),
  ];
}

interface SyncDestination {
  readonly postgres?: {
    readonly host: string;
    readonly port: number;
    readonly database: string;
    readonly user: string;
    readonly schema: string;
  };
  readonly updated_at: string;
}

interface SyncConfiguration {
  readonly provider_name: string;
  readonly contacts?: boolean;
  readonly companies?: boolean;
  readonly deals?: boolean;
  readonly standard_objects?: readonly { readonly object: string }[];
  readonly custom_objects?: readonly { readonly object: string }[];
  readonly interval_seconds: number;
  readonly is_enabled: boolean;
  readonly updated_at: string;
}
