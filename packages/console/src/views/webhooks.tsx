import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { toQuery } from '../api.ts';
import { Ago, Empty, Link, Section, Show, Status, Time } from '../parts/basics.tsx';
import { Change, Dialog, FormChange, SecretOnce } from '../parts/change.tsx';
import { toList } from '../parts/names.ts';
import { usePages } from '../parts/pages.ts';
import { LongList, Table } from '../parts/table.tsx';
import { toHref } from '../router.ts';
import { same } from '../same.ts';
import { useConsole, useLoad } from '../state.tsx';
import type { Delivery, Endpoint, Page, PendingDelivery } from '../types.ts';

/** The webhook endpoints of an application, or the deliveries of one of them. */
export function Webhooks({ applicationId }: { readonly applicationId: string }) {
  const { api, address } = useConsole();
  const { endpoint } = address.filters;
  const [secret, setSecret] = useState<string>();
  const loaded = useLoad(`endpoints ${applicationId}`, () =>
    api.of<{ records: readonly Endpoint[] }>(applicationId, 'GET', '/webhook_endpoints'),
  );
  return (
    <>
      {secret ? (
        <SecretOnce title="The signing secret" secret={secret} onClose={() => setSecret(undefined)}>
          The receiver verifies signatures with it. It is shown only now.
        </SecretOnce>
      ) : null}
      <Show of={loaded}>
        {({ records }) => {
          const one = records.find(({ id }) => id === endpoint);
          if (one)
            return (
              <EndpointView
                applicationId={applicationId}
                endpoint={one}
                reload={loaded.reload}
                onSecret={setSecret}
              />
            );
          return (
            <Section
              id="webhooks"
              title="Webhook endpoints"
              actions={
                <FormChange
                  text="Add endpoint"
                  title="Add a webhook endpoint"
                  submit="Add"
                  fields={
                    <label>
                      URL that receives all events
                      <input
                        name="url"
                        type="url"
                        required
                        placeholder="https://app.example/webhooks"
                      />
                    </label>
                  }
                  run={async (form) => {
                    const url = String(form.get('url'));
                    const made = await api.of<{ secret: string }>(
                      applicationId,
                      'POST',
                      '/webhook_endpoints',
                      { body: { url } },
                    );
                    setSecret(made.secret);
                    loaded.reload();
                    return {
                      text: `Events are now sent to ${url}.`,
                      same: same.createWebhookEndpoint(url),
                    };
                  }}
                />
              }
            >
              <Table
                label="Webhook endpoints"
                rows={records}
                empty={
                  <Empty title="No webhook endpoints">
                    Events are stored for 30 days. An endpoint receives them as they happen.
                  </Empty>
                }
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'URL',
                    cell: ({ id, url }) => (
                      <Link href={toHref(address.path, { ...address.filters, endpoint: id })}>
                        {url}
                      </Link>
                    ),
                  },
                  {
                    title: 'Events',
                    cell: ({ event_types: types = [] }) =>
                      types.length === 0 ? 'All' : toList(types),
                  },
                  {
                    title: 'Status',
                    cell: ({ enabled }) => <Status value={enabled ? 'enabled' : 'disabled'} />,
                  },
                  {
                    title: 'Last failure',
                    cell: (row) =>
                      row.last_failure ? (
                        <>
                          {row.last_failure}, <Ago at={row.last_failure_at} />
                        </>
                      ) : (
                        ''
                      ),
                  },
                ]}
              />
            </Section>
          );
        }}
      </Show>
    </>
  );
}

function EndpointView({ applicationId, endpoint, reload, onSecret }: EndpointProps) {
  const { api, address, navigate } = useConsole();
  const [round, setRound] = useState(0);
  const { id, url, enabled } = endpoint;
  const path = `/webhook_endpoints/${id}`;
  const back = toHref(address.path, { tab: address.filters['tab'] });
  const refresh = () => setRound((before) => before + 1);
  return (
    <Section
      id="endpoint"
      title={url}
      actions={
        <>
          <Change
            text="Send test event"
            run={async () => {
              await api.of(applicationId, 'POST', `${path}/_test`);
              refresh();
              return {
                text: 'A test event was queued. The response appears below within seconds.',
                same: same.sendTestEvent(id),
              };
            }}
          />
          <Change
            text={enabled ? 'Disable' : 'Enable'}
            {...(enabled && {
              question: (
                <p>
                  Events that are waiting for this endpoint are dropped. They can be resent from
                  here later.
                </p>
              ),
            })}
            run={async () => {
              await api.of(applicationId, 'PATCH', path, { body: { enabled: !enabled } });
              reload();
              return {
                text: `The endpoint was ${enabled ? 'disabled' : 'enabled'}.`,
                same: same.enableWebhookEndpoint(id, !enabled),
              };
            }}
          />
          <Change
            text="Resend last 24 hours"
            question={
              <p>
                This sends all events of the last 24 hours to this endpoint again, at most 10,000.
              </p>
            }
            run={async () => {
              const since = new Date(
                performance.timeOrigin + performance.now() - 86_400_000,
              ).toISOString();
              const { scheduled } = await api.of<{ scheduled: number }>(
                applicationId,
                'POST',
                `${path}/_redeliver`,
                { body: { since } },
              );
              refresh();
              return {
                text: `Resending ${scheduled} events.`,
                same: same.redeliverSince(id, since),
              };
            }}
          />
          <Change
            text="Rotate secret"
            question={
              <p>
                This creates a new secret. For 24 hours, deliveries are signed with both secrets.
              </p>
            }
            run={async () => {
              const made = await api.of<{ secret: string }>(
                applicationId,
                'POST',
                `${path}/_rotate_secret`,
              );
              onSecret(made.secret);
              return {
                text: 'The secret was rotated.',
                same: same.rotateWebhookSecret(id),
              };
            }}
          />
          <Change
            text="Delete"
            isDanger
            question={<p>Events are no longer sent to {url}. This cannot be undone.</p>}
            run={async () => {
              await api.of(applicationId, 'DELETE', path);
              navigate(back);
              reload();
              return {
                text: `The endpoint ${url} was deleted.`,
                same: same.deleteWebhookEndpoint(id),
              };
            }}
          />
        </>
      }
    >
      <p>
        <Link href={back}>All endpoints</Link> · <Status value={enabled ? 'enabled' : 'disabled'} />
        {endpoint.last_failure ? (
          <>
            {' '}
            · last failure <Ago at={endpoint.last_failure_at} />: {endpoint.last_failure}
          </>
        ) : null}
      </p>
      <Deliveries
        key={round}
        applicationId={applicationId}
        endpointId={id}
        path={path}
        refresh={refresh}
      />
    </Section>
  );
}

interface EndpointProps {
  readonly applicationId: string;
  readonly endpoint: Endpoint;
  reload(): void;
  onSecret(secret: string): void;
}

function Deliveries({ applicationId, endpointId, path, refresh }: DeliveriesProps) {
  const { api, address } = useConsole();
  const [pending, setPending] = useState<readonly PendingDelivery[]>([]);
  const { event, at } = address.filters;
  const hrefOf = (delivery?: Delivery) =>
    toHref(address.path, {
      ...address.filters,
      event: delivery?.event_id,
      at: delivery?.created_at,
    });
  const pages = usePages<Delivery>(`deliveries ${endpointId}`, async (cursor) => {
    const query = toQuery({ endpoint_id: endpointId, cursor, page_size: 100 });
    const page = await api.admin<Page<Delivery> & { pending: readonly PendingDelivery[] }>(
      'GET',
      `/applications/${applicationId}/deliveries${query}`,
    );
    if (cursor === undefined) setPending(page.pending);
    return page;
  });
  return (
    <>
      {pending.length > 0 ? (
        <>
          <h3>Waiting to be delivered ({pending.length >= 50 ? '50 or more' : pending.length})</h3>
          <Table
            label="Deliveries that are waiting"
            rows={pending.slice(0, 5)}
            keyOf={(row) => row.event_id}
            columns={[
              { title: 'Event', cell: ({ type }) => <code>{type}</code> },
              { title: 'Customer', cell: (row) => row.customer_id },
              { title: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
              { title: 'Next attempt', cell: (row) => <Ago at={row.next_attempt_at} past="now" /> },
            ]}
          />
        </>
      ) : null}
      {event && at ? (
        <Attempt
          applicationId={applicationId}
          endpointId={endpointId}
          path={path}
          eventId={event}
          at={at}
          closed={hrefOf()}
          refresh={refresh}
        />
      ) : null}
      <h3>Responses of the last seven days</h3>
      <LongList<Delivery>
        label="Responses"
        pages={pages}
        empty={
          <Empty title="No responses yet">Each attempt to deliver an event appears here.</Empty>
        }
        keyOf={(row) => `${row.event_id} ${row.created_at}`}
        columns={[
          { title: 'Time', cell: (row) => <Time at={row.created_at} /> },
          { title: 'Event', share: 1.7, isWide: true, cell: ({ type }) => <code>{type}</code> },
          { title: 'Customer', isWide: true, cell: (row) => row.customer_id },
          {
            title: 'Result',
            cell: (row) => (
              <Status value={row.reason === null ? 'ok' : 'failed'} note={toResult(row)} />
            ),
          },
          {
            title: 'Response',
            cell: (row) => (
              <Link class="button plain small" href={hrefOf(row)}>
                Show
              </Link>
            ),
          },
        ]}
      />
    </>
  );
}

interface DeliveriesProps {
  readonly applicationId: string;
  readonly endpointId: string;
  readonly path: string;
  refresh(): void;
}

/** One attempt to deliver an event, by the event and the time of the response. */
function Attempt({ applicationId, endpointId, path, eventId, at, closed, refresh }: AttemptProps) {
  const { api, navigate } = useConsole();
  const close = () => navigate(closed);
  const loaded = useLoad(`attempt ${endpointId} ${eventId} ${at}`, async () => {
    const query = toQuery({ event_id: eventId, page_size: 200 });
    const { records } = await api.admin<Page<Delivery>>(
      'GET',
      `/applications/${applicationId}/deliveries${query}`,
    );
    return records.find((one) => one.endpoint_id === endpointId && one.created_at === at) ?? null;
  });
  const { data: response } = loaded;
  return (
    <Dialog
      title={response ? `Attempt ${response.attempt}: ${toResult(response)}` : 'Response'}
      onClose={close}
    >
      <Show of={loaded}>
        {(found) =>
          found ? (
            <Response delivery={found}>
              <dt>Event</dt>
              <dd>
                <code>{found.type}</code> <code>{found.event_id}</code>
              </dd>
            </Response>
          ) : (
            <p class="soft">This response is not among those of the last seven days.</p>
          )
        }
      </Show>
      <div class="actions end">
        {response ? (
          <Change
            text="Resend"
            run={async () => {
              await api.of(applicationId, 'POST', `${path}/_redeliver`, {
                body: { event_ids: [eventId] },
              });
              close();
              refresh();
              return {
                text: 'Resending the event.',
                same: same.redeliverEvent(endpointId, eventId),
              };
            }}
          />
        ) : null}
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

interface AttemptProps extends DeliveriesProps {
  readonly eventId: string;
  readonly at: string;
  /** The address of the view without it. */
  readonly closed: string;
}

function toResult({ status, reason }: Delivery): string {
  return reason ?? `HTTP ${status}`;
}

/** The children name the event or the attempt, whichever the dialog does not say. */
function Response({ delivery, children }: ResponseProps) {
  return (
    <div class="response">
      <dl class="facts">
        {children}
        <dt>Time</dt>
        <dd>
          <Time at={delivery.created_at} />, {delivery.ms} ms
        </dd>
        <dt>Result</dt>
        <dd>{toResult(delivery)}</dd>
      </dl>
      <h3>Start of the body</h3>
      {delivery.body ? <pre>{delivery.body}</pre> : <p class="soft">It is empty.</p>}
    </div>
  );
}

interface ResponseProps {
  readonly delivery: Delivery;
  readonly children: ComponentChildren;
}

/** How all endpoints responded to one event. */
export function Responses({
  applicationId,
  eventId,
}: {
  readonly applicationId: string;
  readonly eventId: string;
}) {
  const { api } = useConsole();
  const loaded = useLoad(`responses ${eventId}`, () =>
    api.admin<Page<Delivery>>(
      'GET',
      `/applications/${applicationId}/deliveries${toQuery({ event_id: eventId })}`,
    ),
  );
  return (
    <Show of={loaded}>
      {({ records }) =>
        records.length === 0 ? (
          <p class="soft">No endpoint has responded to this event in the last seven days.</p>
        ) : (
          records.map((delivery) => (
            <Response key={`${delivery.endpoint_id} ${delivery.created_at}`} delivery={delivery}>
              <dt>Attempt</dt>
              <dd>
                {delivery.attempt}{' '}
                <Link
                  href={toHref(['applications', applicationId], {
                    tab: 'webhooks',
                    endpoint: delivery.endpoint_id,
                  })}
                >
                  at this endpoint
                </Link>
              </dd>
            </Response>
          ))
        )
      }
    </Show>
  );
}
