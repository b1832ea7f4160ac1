import { Empty, Link, Section, Show, Status, Time } from '../../parts/basics.tsx';
import { Change } from '../../parts/change.tsx';
import { RECORD_TITLES, RECORDS, type RecordType, toProvider } from '../../parts/names.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { toHref } from '../../router.ts';
import { same } from '../../same.ts';
import { useConsole, useLoad } from '../../state.tsx';
import type { Connection, MappingProblem } from '../../types.ts';
import { type OfCustomer, toPath, type WithConnections } from './of-customer.ts';

export function Connections({ connections, reload, ...own }: ConnectionsProps) {
  if (connections.length === 0)
    return (
      <Empty title="No connections">
        <Link href={toHref(['customers', own.applicationId, own.customerId], { tab: 'links' })}>
          Create a link
        </Link>{' '}
        with which the customer connects a CRM.
      </Empty>
    );
  return (
    <>
      {connections.map((connection) => (
        <ConnectionCard key={connection.id} {...own} connection={connection} reload={reload} />
      ))}
    </>
  );
}

interface ConnectionsProps extends WithConnections {
  reload(): void;
}

function ConnectionCard({ applicationId, customerId, connection, reload }: CardProps) {
  const { api } = useConsole();
  const { provider_name: provider, account, instance_url: instance } = connection;
  const path = toPath(customerId, `/connections/${provider}`);
  const title = toProvider(provider);
  return (
    <Section
      id={`connection-${provider}`}
      title={title}
      actions={
        connection.status === 'unauthorized' ? null : (
          <Change
            text="Disconnect"
            isDanger
            question={
              <p>
                This deletes the connection to {title} with its credentials and mappings, and
                revokes the grant at {title} where that is possible. The customer has to connect
                again.
              </p>
            }
            run={async () => {
              await api.of(applicationId, 'DELETE', path);
              reload();
              return {
                text: `${customerId} was disconnected from ${title}.`,
                same: same.disconnectProvider(customerId, provider),
              };
            }}
          />
        )
      }
    >
      <dl class="facts">
        <dt>Status</dt>
        <dd>
          <Status value={connection.status} note={connection.status_reason} />{' '}
          <span class="soft">
            since <Time at={connection.status_changed_at} />
          </span>
        </dd>
        <dt>Account</dt>
        <dd>
          {account ? (
            [account.name, account.id && `(${account.id})`].filter(Boolean).join(' ')
          ) : (
            <span class="soft">Unknown, because it was not connected by a link</span>
          )}
        </dd>
        {instance ? (
          <>
            <dt>Instance</dt>
            <dd>{instance}</dd>
          </>
        ) : null}
        <dt>Granted scopes</dt>
        <dd>
          <Scopes scopes={connection.granted_scopes ?? []} none="Unknown" />
        </dd>
      </dl>
      <h3>Access</h3>
      <Table
        label={`Access to ${title} by type of record`}
        rows={connection.granted_access ?? []}
        empty={<p class="soft">None.</p>}
        keyOf={({ record }) => record}
        columns={[
          { title: 'Records', cell: ({ record }) => RECORD_TITLES[record] },
          { title: 'Read', cell: (access) => <Granted is={access.can_read} /> },
          { title: 'Write', cell: (access) => <Granted is={access.can_write} /> },
          {
            title: 'Missing scopes',
            cell: (access) => <Scopes scopes={access.missing_scopes} none="None" isMissing />,
          },
        ]}
      />
      <Mappings applicationId={applicationId} path={path} />
    </Section>
  );
}

interface CardProps extends OfCustomer {
  readonly connection: Connection;
  reload(): void;
}

function Granted({ is }: { readonly is: boolean }) {
  return is ? <>Yes</> : <span class="soft">No</span>;
}

function Scopes({ scopes, none, isMissing = false }: ScopesProps) {
  if (scopes.length === 0) return <span class="soft">{none}</span>;
  return (
    <>
      {scopes.map((scope) => (
        <code key={scope} class={isMissing ? 'tag bad' : 'tag'}>
          {scope}
        </code>
      ))}
    </>
  );
}

interface ScopesProps {
  readonly scopes: readonly string[];
  readonly none: string;
  readonly isMissing?: boolean;
}

/** The custom fields of which the connection has sources of its own, of all types of records. */
function Mappings({ applicationId, path }: MappingsProps) {
  const { api } = useConsole();
  const loaded = useLoad(`mappings ${applicationId} ${path}`, async () => {
    const get = <Body,>(rest: string) => api.of<Body>(applicationId, 'GET', `${path}/${rest}`);
    const [{ records: problems }, ...mappings] = await Promise.all([
      get<{ records: readonly MappingProblem[] }>('mapping_problems'),
      ...RECORDS.map(async (record) => {
        const { mappings: found } = await get<{ mappings: readonly Mapping[] }>(
          `custom_field_mappings/${record}`,
        );
        return found.map((mapping) => ({ ...mapping, record }));
      }),
    ]);
    return { mappings: mappings.flat(), problems };
  });
  const { data } = loaded;
  return (
    <details class="more" open={(data?.problems.length ?? 0) > 0}>
      <summary>
        Custom field mappings{data ? ` (${toCounts(data.mappings, data.problems)})` : ''}
      </summary>
      <Show of={loaded}>
        {({ mappings, problems }) => (
          <>
            <Table<MappingProblem>
              label="Mapping problems"
              rows={problems}
              keyOf={({ record, field, source, problem }) =>
                `${record} ${field} ${source} ${problem}`
              }
              columns={[
                {
                  title: 'Problem',
                  cell: ({ problem }) => <Status value="warning" note={problem} />,
                },
                ...MAPPING_COLUMNS,
                { title: 'Since', cell: ({ since }) => <Time at={since} /> },
              ]}
            />
            <Table
              label="Custom field mappings"
              rows={mappings}
              empty={
                <p class="soft">
                  This connection has no mappings of its own. Those of the application apply.
                </p>
              }
              keyOf={({ record, field }) => `${record} ${field}`}
              columns={MAPPING_COLUMNS}
            />
          </>
        )}
      </Show>
    </details>
  );
}

const MAPPING_COLUMNS: readonly Column<Mapping>[] = [
  { title: 'Records', cell: ({ record }) => (record ? RECORD_TITLES[record] : '') },
  { title: 'Custom field', cell: ({ field }) => <code>{field}</code> },
  { title: 'Field of the CRM', cell: ({ source }) => <code>{source}</code> },
];

interface Mapping {
  readonly record?: RecordType;
  readonly field: string;
  readonly source: string;
}

function toCounts(mappings: readonly unknown[], problems: readonly unknown[]): string {
  if (problems.length === 0) return String(mappings.length);
  return `${mappings.length}, ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
}

interface MappingsProps {
  readonly applicationId: string;
  /** Of the connection, in the REST API. */
  readonly path: string;
}
