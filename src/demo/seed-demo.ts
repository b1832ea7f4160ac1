import type { JoinedSandbox } from '@crossbook/sandbox';
import type { Connection } from '../domain/connection.ts';
import type { CustomerStore, CustomerUpsert } from '../domain/customer.ts';
import { DEFAULT_ACCESS } from '../domain/record-access.ts';
import { RECORD_TYPES } from '../domain/records/record-type.ts';

/** The customer of the demo application, connected to both simulated CRMs. */
export const DEMO_CUSTOMER_ID = 'demo';

/** So that everything can be tried. */
const EVERYTHING = { records: RECORD_TYPES, access: 'READ_WRITE' } as const;

/**
 * Creates the demo customer if it does not exist. An existing one may have been edited, so only what an earlier version
 * has stored is changed: connections that contain a loopback port, or may only read contacts.
 */
export async function seedDemo(customers: CustomerStore, sandbox: JoinedSandbox): Promise<void> {
  const customer = toDemoCustomer(sandbox);
  const [stored] = await customers.findMany([DEMO_CUSTOMER_ID]);
  if (!stored) {
    await customers.upsert(customer);
    return;
  }
  const changed = customer.connections?.flatMap((seeded) => {
    const { providerName, instanceUrl } = seeded;
    const kept = stored.connections.find((connection) => connection.providerName === providerName);
    const isOld = kept?.instanceUrl?.startsWith('http://127.0.0.1:');
    // The option was set after the first start. Other connections that are missing were removed by the user.
    const isNew = kept === undefined && providerName === sandbox.pipedrive?.name;
    if ((isOld || isNew) && instanceUrl !== undefined) return [seeded];
    return kept && isDefault(kept) ? [{ providerName, ...EVERYTHING }] : [];
  });
  if (changed?.length) {
    const { customerId, name, email } = stored;
    await customers.upsert({ customerId, name, email, connections: changed });
  }
}

function isDefault({ readableRecords, writableRecords, account }: Connection): boolean {
  const isContact = readableRecords.every((type) => DEFAULT_ACCESS.records.includes(type));
  return account === null && isContact && writableRecords.length === 0;
}

/** Zendesk Sell is connected too, so that the demo shows the error of a provider without contact search. */
function toDemoCustomer({ hubspot, salesforce, pipedrive }: JoinedSandbox): CustomerUpsert {
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
        ...EVERYTHING,
      },
      {
        providerName: 'salesforce',
        instanceUrl: salesforce.nameOrigin,
        credentials: { type: 'oauth2', accessToken, refreshToken, expiresAt: null },
        ...EVERYTHING,
      },
      ...(pipedrive
        ? [{ providerName: 'pipedrive', ...toCredentials(pipedrive), ...EVERYTHING } as const]
        : []),
      { providerName: 'zendesk_sell', ...EVERYTHING },
    ],
  };
}

function toCredentials({
  nameOrigin,
  demo,
}: Pick<JoinedSandbox['hubspot'], 'nameOrigin' | 'demo'>) {
  const { accessToken, refreshToken } = demo;
  const credentials = { type: 'oauth2', accessToken, refreshToken, expiresAt: null } as const;
  return { instanceUrl: nameOrigin, credentials };
}
