import { Link, Show, Tabs } from '../parts/basics.tsx';
import { Change } from '../parts/change.tsx';
import { toHref } from '../router.ts';
import { same } from '../same.ts';
import { useConsole, useLoad } from '../state.tsx';
import type { Customer } from '../types.ts';
import { Calls } from './customer/calls.tsx';
import { Connections } from './customer/connections.tsx';
import { Events } from './customer/events.tsx';
import { Links } from './customer/links.tsx';
import { LookUp } from './customer/look-up.tsx';
import { type OfCustomer, toPath } from './customer/of-customer.ts';
import { Syncs } from './customer/syncs.tsx';
import { Writes } from './customer/writes.tsx';

/** One customer of an application. */
export function CustomerView({ applicationId, customerId }: OfCustomer) {
  const { api, applications, contacts, navigate } = useConsole();
  const own = { applicationId, customerId };
  const customer = useLoad(`customer ${applicationId} ${customerId}`, () =>
    api.of<Customer>(applicationId, 'GET', toPath(customerId)),
  );
  const application = applications.find(({ id }) => id === applicationId);
  const list = toHref(['customers'], { application: applicationId });
  return (
    <>
      <p class="crumbs">
        <Link href={list}>Customers</Link>
        {' of '}
        <Link href={toHref(['applications', applicationId])}>
          {application?.name ?? applicationId}
        </Link>
      </p>
      <Show of={customer}>
        {({ name, email, connections = [] }) => (
          <>
            <div class="title">
              <div>
                <h1>{name}</h1>
                <p class="soft">
                  <code>{customerId}</code> · {email}
                </p>
              </div>
              <Change
                text="Delete customer"
                isDanger
                typed={customerId}
                question={
                  <p>
                    This deletes the customer, its connections ({connections.length}) with their
                    credentials and cached contacts, and its rows in the sync destination. It cannot
                    be undone.
                  </p>
                }
                run={async () => {
                  await api.of(applicationId, 'DELETE', toPath(customerId));
                  navigate(list);
                  return {
                    text: `The customer ${customerId} was deleted.`,
                    same: same.deleteCustomer(customerId),
                  };
                }}
              />
            </div>
            <Tabs
              label="Customer"
              tabs={[
                {
                  value: 'connections',
                  text: 'Connections',
                  show: () => (
                    <Connections {...own} connections={connections} reload={customer.reload} />
                  ),
                },
                {
                  value: 'links',
                  text: 'Links',
                  show: () => <Links {...own} connections={connections} />,
                },
                {
                  value: 'syncs',
                  text: 'Syncs',
                  show: () => <Syncs {...own} connections={connections} />,
                },
                { value: 'events', text: 'Events', show: () => <Events {...own} /> },
                { value: 'writes', text: 'Writes', show: () => <Writes {...own} /> },
                { value: 'usage', text: 'Usage and errors', show: () => <Calls {...own} /> },
                ...(contacts
                  ? [
                      {
                        value: 'look-up',
                        text: 'Look up a record',
                        show: () => <LookUp {...own} connections={connections} />,
                      },
                    ]
                  : []),
              ]}
            />
          </>
        )}
      </Show>
    </>
  );
}
