import type { JoinedSandbox } from '@crossbook/sandbox';
import type { CustomerStore, CustomerUpsert } from '../domain/customer.ts';

/** The customer of the demo application, connected to both simulated CRMs. */
export const DEMO_CUSTOMER_ID = 'demo';

/**
 * Creates the demo customer if it does not exist. An existing one may have been edited, so only connections that
 * contain a loopback port (stored by an earlier version) are changed to the placeholder origin.
 */
export async function seedDemo(customers: CustomerStore, sandbox: JoinedSandbox): Promise<void> {
  const customer = toDemoCustomer(sandbox);
  const [stored] = await customers.findMany([DEMO_CUSTOMER_ID]);
  if (!stored) {
    await customers.upsert(customer);
    return;
  }
  const moved = customer.connections?.filter(({ providerName, instanceUrl }) => {
    const kept = stored.connections.find((connection) => connection.providerName === providerName);
    return kept?.instanceUrl?.startsWith('http://127.0.0.1:') && instanceUrl !== undefined;
  });
  if (moved?.length) {
    const { customerId, name, email } = stored;
    await customers.upsert({ customerId, name, email, connections: moved });
  }
}

/** Pipedrive is connected too, so that the demo shows the error of a provider without contact search. */
function toDemoCustomer({ hubspot, salesforce }: JoinedSandbox): CustomerUpsert {
  const { accessToken, refreshToken } = salesforce.demo;
  return {
    customerId: DEMO_CUSTOMER_ID,
    name: 'Demo customer',
    email: 'demo@example.com',
    connections: [
      {
        providerName: 'hubspot',
        // HubSpot's instance URL is only a label; this one also shows that the portal is simulated.
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
