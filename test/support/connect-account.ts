import type { HubSpotAccount, Person, SalesforceAccount } from '@crossbook/sandbox';
import type { TestApp } from './open-app.ts';

/** A new account of an simulated CRM without limits, and a customer whose only connection is to it. */
export async function connectAccount(
  crossbook: TestApp,
  { provider, people, customerId }: Wanted,
): Promise<Connected> {
  const { sandbox } = crossbook;
  const account: HubSpotAccount | SalesforceAccount =
    provider === 'hubspot'
      ? sandbox.hubspot.createAccount({ people, limits: null })
      : sandbox.salesforce.createAccount({ people, limits: null });
  await connectCustomer(crossbook, { provider, account, customerId });
  return { account, headers: { 'x-customer-id': customerId, 'x-provider-name': provider } };
}

/** One more customer of the same account: cached facts of one connection do not apply to another. */
export async function connectCustomer(
  { sandbox, rest }: TestApp,
  { provider, account, customerId }: Omit<Wanted, 'people'> & Pick<Connected, 'account'>,
): Promise<void> {
  const connection = {
    provider_name: provider,
    instance_url: provider === 'hubspot' ? sandbox.hubspot.origin : account.instanceUrl,
    credentials: { type: 'token', value: account.accessToken },
  };
  const customer = {
    customer_id: customerId,
    name: 'C',
    email: 'c@example.com',
    connections: [connection],
  };
  const { status, body } = await rest('PUT', '/customers', customer);
  if (status !== 200) throw new Error(`The customer was not stored: ${JSON.stringify(body)}`);
}

export interface Wanted {
  readonly provider: 'hubspot' | 'salesforce';
  readonly people: readonly Partial<Person>[];
  readonly customerId: string;
}

export interface Connected {
  readonly account: HubSpotAccount | SalesforceAccount;
  readonly headers: Record<string, string>;
}
