import { toQuery } from '../api.ts';
import {
  Ago,
  Amount,
  ApplicationSelect,
  Choices,
  Empty,
  isKept,
  Link,
  Section,
  Show,
  Status,
} from '../parts/basics.tsx';
import { Chart, toShort } from '../parts/chart.tsx';
import { toProvider } from '../parts/names.ts';
import { Shortened, Table } from '../parts/table.tsx';
import { toHref } from '../router.ts';
import { useConsole, useLoad } from '../state.tsx';
import type { Attention, Check, CustomerUsage, Usage, UsageHour } from '../types.ts';
import { pick, sumTallies, toLatencies, toPeriod, toPoints } from '../usage.ts';
import { ProviderCalls } from './provider-calls.tsx';

export function Overview() {
  const { api, address } = useConsole();
  const { application, period = 'day' } = address.filters;
  const query = toQuery({ application, since: toPeriod(period).since });
  const usage = useLoad(`usage ${query} ${period}`, () =>
    api.admin<Usage>('GET', `/usage/hours${query}`),
  );
  return (
    <>
      <div class="title">
        <h1>Overview</h1>
        <Filters />
      </div>
      <Show of={usage}>{({ hours }) => <Totals hours={hours} period={period} />}</Show>
      <NeedsAttention />
      {usage.data ? <Breakdown hours={usage.data.hours} /> : null}
      <Checks />
    </>
  );
}

function Filters() {
  const { address, navigate } = useConsole();
  const { application = '' } = address.filters;
  return (
    <div class="filters">
      <Choices label="Period" name="period" options={PERIODS} fallback="day" />
      <ApplicationSelect
        value={application}
        all="All applications"
        onSelect={(id) => navigate(toHref(address.path, { ...address.filters, application: id }))}
      />
    </div>
  );
}

const PERIODS = [
  { value: 'hour', text: 'Hour' },
  { value: 'day', text: 'Day' },
  { value: 'week', text: 'Week' },
];

function Breakdown({ hours }: { readonly hours: readonly UsageHour[] }) {
  const { address, applications } = useConsole();
  const { application } = address.filters;
  const sums = sumTallies(hours);
  return (
    <div class="columns">
      <Errors sums={sums} />
      <Section id="providers" title="CRMs and rate limits">
        <ProviderCalls sums={sums} />
      </Section>
      {application ? (
        <TopCustomers application={application} />
      ) : (
        <TopApplications
          hours={hours}
          names={new Map(applications.map(({ id, name }) => [id, name]))}
        />
      )}
    </div>
  );
}

function Totals({ hours, period }: TotalsProps) {
  const sums = sumTallies(hours);
  const points = toPoints(hours, period);
  const [requests = 0, errors = 0, calls = 0] = ['requests', 'errors', 'calls'].map((name) =>
    sums.get(name),
  );
  const { median, slow } = toLatencies(sums);
  return (
    <>
      <dl class="numbers">
        <Amount of="Requests" value={toShort(requests)} />
        <Amount
          of="Errors"
          value={toShort(errors)}
          note={
            errors > 0 ? `${(errors / Math.max(requests, 1)).toFixed(3)} per request` : undefined
          }
          isBad={errors > 0}
        />
        <Amount of="Latency, median" value={median} note={slow && `95% within ${slow}`} />
        <Amount of="CRM calls" value={toShort(calls)} />
      </dl>
      {requests + calls === 0 ? (
        <Empty title="No requests in this period">
          They appear here within ten seconds after the first one.
        </Empty>
      ) : (
        <Chart
          label={`The last ${period}: ${requests} requests, ${errors} errors, ${calls} calls to CRMs.`}
          times={points.times}
          series={[
            { name: 'Requests', tone: 'accent', values: points.requests },
            { name: 'CRM calls', tone: 'good', values: points.calls },
            { name: 'Errors', tone: 'bad', values: points.errors },
          ]}
        />
      )}
    </>
  );
}

interface TotalsProps {
  readonly hours: readonly UsageHour[];
  readonly period: string;
}

function Errors({ sums }: { readonly sums: ReadonlyMap<string, number> }) {
  const rows = pick(sums, 'error');
  return (
    <Section id="errors" title="Errors by code">
      <Table
        empty={<Empty title="No errors" />}
        label="Errors by code"
        rows={rows}
        keyOf={([code]) => code}
        columns={[
          { title: 'Code', cell: ([code]) => <Link href={toHref(['guide', code])}>{code}</Link> },
          { title: 'Count', isNumber: true, cell: ([, count]) => count.toLocaleString() },
        ]}
      />
    </Section>
  );
}

function TopApplications({ hours, names }: TopProps) {
  const ids = [...new Set(hours.map(({ application_id: id = '' }) => id))];
  const rows = ids
    .map((id) => ({ id, sums: sumTallies(hours.filter((one) => one.application_id === id)) }))
    .sort((one, other) => (other.sums.get('requests') ?? 0) - (one.sums.get('requests') ?? 0));
  const amount = (name: string) => (row: (typeof rows)[number]) =>
    (row.sums.get(name) ?? 0).toLocaleString();
  return (
    <Section id="by-application" title="By application">
      <Table
        empty={<Empty title="No requests" />}
        label="Usage by application"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Application',
            cell: ({ id }) => (
              <Link href={toHref(['applications', id])}>{names.get(id) ?? id}</Link>
            ),
          },
          { title: 'Requests', isNumber: true, cell: amount('requests') },
          { title: 'Errors', isNumber: true, cell: amount('errors') },
          { title: 'Rate limited', isNumber: true, cell: amount('error TOO_MANY_REQUESTS') },
        ]}
      />
    </Section>
  );
}

interface TopProps {
  readonly hours: readonly UsageHour[];
  readonly names: ReadonlyMap<string, string>;
}

function TopCustomers({ application }: { readonly application: string }) {
  const { api, address } = useConsole();
  const query = toQuery({ since: toPeriod(address.filters['period'] ?? 'day').since, first: 20 });
  const usage = useLoad(`customers ${application} ${query}`, () =>
    api.admin<CustomerUsage>('GET', `/applications/${application}/usage/customers${query}`),
  );
  return (
    <Section id="by-customer" title="By customer">
      <Show of={usage}>
        {({ customers }) => (
          <Table
            empty={<Empty title="No requests" />}
            label="Usage by customer"
            rows={customers}
            keyOf={({ customer_id: id }) => id ?? ''}
            columns={[
              {
                title: 'Customer',
                cell: ({ customer_id: id }) =>
                  id === null ? (
                    <span class="soft">(other)</span>
                  ) : (
                    <Link href={toHref(['customers', application, id])}>{id}</Link>
                  ),
              },
              { title: 'Requests', isNumber: true, cell: (row) => row.requests.toLocaleString() },
              { title: 'Errors', isNumber: true, cell: (row) => row.errors.toLocaleString() },
              {
                title: 'CRM calls',
                isNumber: true,
                cell: (row) => row.provider_calls.toLocaleString(),
              },
            ]}
          />
        )}
      </Show>
    </Section>
  );
}

function NeedsAttention() {
  const { api, address } = useConsole();
  const { application } = address.filters;
  const attention = useLoad('attention', () => api.admin<Attention>('GET', '/attention'));
  const isOwn = (row: { application_id: string }) =>
    !application || row.application_id === application;
  return (
    <Section
      id="attention"
      title="Needs attention"
      actions={
        <button type="button" class="plain small" onClick={attention.reload}>
          Refresh
        </button>
      }
    >
      <Show of={attention}>
        {(found) => {
          const connections = found.connections.filter(isOwn);
          const syncs = found.syncs.filter(isOwn);
          const endpoints = found.endpoints.filter(isOwn);
          if (connections.length + syncs.length + endpoints.length === 0)
            return (
              <Empty title="Nothing needs attention">
                No connection has to be authorized again, and all syncs and webhook endpoints work.
              </Empty>
            );
          return (
            <>
              {endpoints.length > 0 ? <FailingEndpoints rows={endpoints} /> : null}
              {syncs.length > 0 ? <SyncsBehind rows={syncs} /> : null}
              {connections.length > 0 ? <ToRenew rows={connections} /> : null}
            </>
          );
        }}
      </Show>
    </Section>
  );
}

function FailingEndpoints({ rows }: { readonly rows: Attention['endpoints'] }) {
  return (
    <>
      <h3>Failing webhook endpoints ({rows.length})</h3>
      <Shortened
        label="Failing webhook endpoints"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Endpoint',
            cell: ({ application_id: id, id: endpoint, url }) => (
              <Link href={toHref(['applications', id], { tab: 'webhooks', endpoint })}>{url}</Link>
            ),
          },
          { title: 'Application', cell: (row) => row.application },
          {
            title: 'State',
            cell: ({ enabled }) => <Status value={enabled ? 'failing' : 'disabled'} />,
          },
          { title: 'Last failure', cell: (row) => row.last_failure ?? '' },
          { title: 'Since', cell: (row) => <Ago at={row.failing_since} /> },
        ]}
      />
    </>
  );
}

function SyncsBehind({ rows }: { readonly rows: Attention['syncs'] }) {
  return (
    <>
      <h3>Syncs that are failing or behind ({toCount(rows)})</h3>
      <Shortened
        label="Syncs that are failing or behind"
        rows={rows}
        keyOf={(row) =>
          `${row.application_id} ${row.customer_id} ${row.provider_name} ${row.table}`
        }
        columns={[
          {
            title: 'Customer',
            cell: ({ application_id: id, customer_id: customer }) => (
              <Link href={toHref(['customers', id, customer], { tab: 'syncs' })}>{customer}</Link>
            ),
          },
          { title: 'CRM', cell: (row) => toProvider(row.provider_name) },
          { title: 'Table', cell: (row) => row.table },
          { title: 'Error', cell: (row) => row.error?.detail ?? 'Behind' },
          { title: 'Synced until', cell: (row) => <Ago at={row.synced_until} /> },
        ]}
      />
    </>
  );
}

function ToRenew({ rows }: { readonly rows: Attention['connections'] }) {
  const { address, applications } = useConsole();
  const application = address.filters['application'] ?? applications.find(isKept)?.id;
  return (
    <>
      <h3>Connections that need to be authorized again ({toCount(rows)})</h3>
      <Shortened
        label="Connections that need to be authorized again"
        rows={rows}
        keyOf={(row) => `${row.application_id} ${row.customer_id} ${row.provider_name}`}
        columns={[
          {
            title: 'Customer',
            cell: ({ application_id: id, customer_id: customer }) => (
              <Link href={toHref(['customers', id, customer])}>{customer}</Link>
            ),
          },
          { title: 'Application', cell: (row) => row.application },
          { title: 'CRM', cell: (row) => toProvider(row.provider_name) },
          {
            title: 'Status',
            cell: (row) => <Status value={row.status} note={row.status_reason} />,
          },
          { title: 'Since', cell: (row) => <Ago at={row.status_changed_at} /> },
        ]}
      />
      {rows.length >= MOST ? (
        <p>
          <Link href={toHref(['customers'], { status: 'reauthorize', application })}>
            Find all of them
          </Link>
        </p>
      ) : null}
    </>
  );
}

/** The server returns at most these. */
const MOST = 200;

function toCount(rows: readonly unknown[]): string {
  return rows.length >= MOST ? `${MOST} or more` : String(rows.length);
}

function Checks() {
  const { api } = useConsole();
  const checks = useLoad('checks', () => api.admin<{ checks: readonly Check[] }>('GET', '/checks'));
  return (
    <Section id="checks" title="Health checks">
      <Show of={checks}>
        {({ checks: found }) => (
          <Table
            label="Checks of the installation"
            rows={found.toSorted(
              (one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state),
            )}
            keyOf={({ subject, detail }) => `${subject} ${detail}`}
            columns={[
              { title: 'Check', cell: ({ subject }) => subject },
              { title: 'State', cell: ({ state }) => <Status value={state} /> },
              { title: 'Detail', cell: ({ detail }) => detail },
            ]}
          />
        )}
      </Show>
    </Section>
  );
}

const ORDER = ['failed', 'warning', 'ok'];
