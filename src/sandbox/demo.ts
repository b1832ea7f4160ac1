import type { CustomerStore, CustomerUpsert } from '../domain/customer.ts';
import type { Sandbox } from './open-sandbox.ts';

/** Who the sandbox's people belong to: an application with one customer, connected to both imitated CRMs. */
export { DEMO_APPLICATION } from '../domain/caller.ts';

export const DEMO_CUSTOMER_ID = 'demo';

/**
 * Makes the demo customer where there is none. One that is there may have been changed: only connections that name a port
 * of this machine, as an earlier version stored them, are made to name the sandbox.
 */
export async function seedDemo(customers: CustomerStore, sandbox: Sandbox): Promise<void> {
  const wanted = toDemoCustomer(sandbox);
  const stored = (await customers.findMany([DEMO_CUSTOMER_ID])).get(DEMO_CUSTOMER_ID);
  if (!stored) {
    await customers.upsert(wanted);
    return;
  }
  const moved = wanted.connections?.filter(({ providerName, instanceUrl }) => {
    const kept = stored.connections.find((connection) => connection.providerName === providerName);
    return kept?.instanceUrl?.startsWith('http://127.0.0.1:') && instanceUrl !== undefined;
  });
  if (moved?.length) {
    const { customerId, name, email } = stored;
    await customers.upsert({ customerId, name, email, connections: moved });
  }
}

/** Pipedrive is connected too, so that the demo can show what a provider without contact search answers. */
function toDemoCustomer({ hubspot, salesforce }: Sandbox): CustomerUpsert {
  const { accessToken, refreshToken } = salesforce.demo;
  return {
    customerId: DEMO_CUSTOMER_ID,
    name: 'Demo customer',
    email: 'demo@example.com',
    connections: [
      {
        providerName: 'hubspot',
        // HubSpot's instance URL is only a name; ours also says that this portal is an imitated one.
        instanceUrl: `${hubspot.nameOrigin}/contacts/${hubspot.demo.id}`,
        credentials: { type: 'token', value: hubspot.demo.staticToken ?? hubspot.demo.accessToken },
      },
      {
        providerName: 'salesforce',
        instanceUrl: salesforce.nameOrigin,
        credentials: { type: 'oauth2', accessToken, refreshToken, expiresAt: null },
      },
      { providerName: 'pipedrive' },
    ],
  };
}
