import { toQuery } from '../../api.ts';
import { Amount, Empty, Link, Section, Show, Time } from '../../parts/basics.tsx';
import { toProvider } from '../../parts/names.ts';
import { Shortened } from '../../parts/table.tsx';
import { toHref } from '../../router.ts';
import { useConsole, useLoad } from '../../state.tsx';
import type { RecentError, Usage, UsageHour } from '../../types.ts';
import { sumTallies, toPeriod } from '../../usage.ts';
import { ProviderCalls } from '../provider-calls.tsx';
import type { OfCustomer } from './of-customer.ts';

export function Calls({ applicationId, customerId }: OfCustomer) {
  const { api } = useConsole();
  const query = toQuery({
    application: applicationId,
    customer_id: customerId,
    since: toPeriod('week').since,
  });
  const usage = useLoad(`calls ${query}`, () => api.admin<Usage>('GET', `/usage/hours${query}`));
  return (
    <Show of={usage}>
      {({ hours }) => (
        <>
          <Totals hours={hours} />
          <Section id="crm-calls" title="Calls to CRMs, last 7 days">
            <ProviderCalls sums={sumTallies(hours)} />
          </Section>
          <Section id="recent" title="Latest errors">
            <RecentErrors hours={hours} />
          </Section>
        </>
      )}
    </Show>
  );
}

interface OfHours {
  readonly hours: readonly UsageHour[];
}

function Totals({ hours }: OfHours) {
  const sum = (name: 'requests' | 'errors' | 'provider_calls') =>
    hours.reduce((total, hour) => total + (hour[name] ?? 0), 0);
  const last = hours.at(-1);
  const errors = sum('errors');
  return (
    <dl class="numbers">
      <Amount of="Requests, last 7 days" value={sum('requests').toLocaleString()} />
      <Amount of="Errors" value={errors.toLocaleString()} isBad={errors > 0} />
      <Amount of="CRM calls" value={sum('provider_calls').toLocaleString()} />
      <Amount of="Last used" value={last ? toHour(last.hour) : 'Not used'} />
    </dl>
  );
}

/** Usage is counted by the hour. */
function toHour(hour: string): string {
  const parts = { day: 'numeric', month: 'short', hour: 'numeric' } as const;
  return new Date(hour).toLocaleString([], parts);
}

function RecentErrors({ hours }: OfHours) {
  const rows = hours
    .flatMap(({ recent_errors: errors }) => errors ?? [])
    .sort((one, other) => other.at.localeCompare(one.at))
    .slice(0, 50);
  return (
    <Shortened<RecentError>
      label="Latest errors"
      rows={rows}
      empty={<Empty title="No errors" />}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Time', cell: ({ at }) => <Time at={at} /> },
        {
          title: 'Code',
          cell: ({ code }) => <Link href={toHref(['guide', code])}>{code}</Link>,
        },
        { title: 'CRM', cell: ({ provider }) => (provider ? toProvider(provider) : '') },
        { title: 'Error ID', cell: ({ id }) => <code>{id}</code> },
        { title: 'Request ID', cell: (row) => <code>{row.request_id}</code> },
      ]}
    />
  );
}
