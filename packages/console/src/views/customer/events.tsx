import { toQuery } from '../../api.ts';
import { Empty, Link, Section, Time } from '../../parts/basics.tsx';
import { InfoDialog } from '../../parts/change.tsx';
import { useFound, usePages } from '../../parts/pages.ts';
import { LongList } from '../../parts/table.tsx';
import { useConsole, useOpened } from '../../state.tsx';
import type { Event, Page } from '../../types.ts';
import { Responses } from '../webhooks.tsx';
import type { OfCustomer } from './of-customer.ts';

export function Events({ applicationId, customerId }: OfCustomer) {
  const { api } = useConsole();
  const opened = useOpened('event');
  const pages = usePages<Event>(`events ${applicationId} ${customerId}`, (cursor) =>
    api.of<Page<Event>>(
      applicationId,
      'GET',
      `/events${toQuery({ customer_id: customerId, cursor, page_size: 100 })}`,
    ),
  );
  const event = useFound(pages, opened.id ? ({ id }) => id === opened.id : undefined);
  return (
    <Section id="events" title="Events of the last 30 days">
      {opened.id ? (
        <InfoDialog title={event?.type ?? 'Event'} onClose={opened.close}>
          {event ? (
            <pre>{JSON.stringify(event.data, null, 2)}</pre>
          ) : (
            <p class="soft">
              {pages.isLoading || pages.hasMore
                ? 'Loading…'
                : 'The customer has no event with this ID in the last 30 days.'}
            </p>
          )}
          <h3>Deliveries</h3>
          <Responses applicationId={applicationId} eventId={opened.id} />
        </InfoDialog>
      ) : null}
      <LongList<Event>
        label="Events"
        pages={pages}
        empty={<Empty title="No events" />}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Time', cell: (event) => <Time at={event.created_at} /> },
          { title: 'Type', share: 1.4, cell: ({ type }) => <EventType type={type} /> },
          { title: 'ID', share: 1.6, isWide: true, cell: ({ id }) => <code>{id}</code> },
          {
            title: 'Details',
            cell: ({ id }) => (
              <Link class="button plain small" href={opened.hrefOf(id)}>
                Show
              </Link>
            ),
          },
        ]}
      />
    </Section>
  );
}

/** Wraps at dots on a narrow screen, before it breaks words. */
function EventType({ type }: { readonly type: string }) {
  const [first, ...others] = type.split('.');
  return (
    <code>
      {first}
      {others.map((part) => [<wbr key={part} />, `.${part}`])}
    </code>
  );
}
