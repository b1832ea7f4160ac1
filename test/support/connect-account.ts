import type {
  HubSpotAccount,
  Person,
  PipedriveAccount,
  SalesforceAccount,
} from '@crossbook/sandbox';
import type { TestApp } from './open-app.ts';

/** A new account of a simulated CRM without limits, and a customer whose only connection is to it. */
export async function connectAccount(
  crossbook: TestApp,
  { provider, people, customerId, ...access }: LinkOptions,
): Promise<Connected> {
  const { sandbox } = crossbook;
  const account: TestAccount = sandbox[provider].createAccount({ people, limits: null });
  await connectCustomer(crossbook, { provider, account, customerId, ...access });
  return { account, headers: { 'x-customer-id': customerId, 'x-provider-name': provider } };
}

/** One more customer of the same account: cached facts of one connection do not apply to another. */
export async function connectCustomer(
  { sandbox, rest }: TestApp,
  {
    provider,
    account,
    customerId,
    canWrite,
    records = ['contact'],
  }: Omit<LinkOptions, 'people'> & Pick<Connected, 'account'>,
): Promise<void> {
  const connection = {
    provider_name: provider,
    instance_url: provider === 'hubspot' ? sandbox.hubspot.origin : account.instanceUrl,
    credentials: { type: 'token', value: account.accessToken },
    ...(canWrite && { records, access: 'read_write' }),
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

export interface LinkOptions {
  readonly provider: 'hubspot' | 'salesforce' | 'pipedrive';
  readonly people: readonly Partial<Person>[];
  readonly customerId: string;
  /** Whether the connection may change records. */
  readonly canWrite?: boolean | undefined;
  /** The types of these records. Default: contacts. */
  readonly records?: readonly string[] | undefined;
}

type TestAccount = HubSpotAccount | SalesforceAccount | PipedriveAccount;

export interface Connected {
  readonly account: TestAccount;
  readonly headers: Record<string, string>;
}
