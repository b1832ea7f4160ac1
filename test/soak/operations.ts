/** The operations of the soak, and which responses are correct. */
export function createOperations(accounts: Accounts): readonly Operation[] {
  const customers = Array.from({ length: 20 }, (_, n) => `soak-${n}`);
  const anyCustomer = () => customers[Math.floor(Math.random() * customers.length)] ?? '';
  const crm = (): 'hubspot' | 'salesforce' => (Math.random() < 0.5 ? 'hubspot' : 'salesforce');

  return [
    {
      name: 'one look-up in GraphQL',
      share: 40,
      refusals: CRM,
      ask: () =>
        toGraphQL(
          `{ searchContacts(filter: { email: "${EMAIL}" }) { ${CONTACTS} } }`,
          anyCustomer(),
          crm(),
        ),
      isRight: ({ data }) => hasAda(data?.searchContacts),
    },
    {
      name: 'one look-up in REST',
      share: 20,
      refusals: CRM,
      ask: () => ({
        method: 'POST',
        path: '/contacts/_search',
        body: { filter: { email: EMAIL } },
        headers: { 'x-customer-id': anyCustomer(), 'x-provider-name': crm() },
      }),
      isRight: ({ records }) => records?.length === 1 && records[0].first_name === 'Ada',
    },
    {
      name: 'fifty aliases over two CRMs',
      share: 3,
      refusals: CRM,
      ask: () => toGraphQL(`{ ${toAliases(50)} }`, anyCustomer(), 'hubspot'),
      isRight: ({ data }) => Object.values(data ?? {}).filter(hasAda).length === 50,
      isPartRight: ({ data, errors }) =>
        Object.values(data).filter(hasAda).length + errors.length === 50 &&
        Object.values(data).every((page) => page === null || hasAda(page)),
    },
    {
      name: 'a page by domain',
      share: 5,
      refusals: CRM,
      ask: () =>
        toGraphQL(
          '{ searchContacts(filter: { emailDomain: "example.com" }, first: 5) { nodes { id } } }',
          anyCustomer(),
          crm(),
        ),
      isRight: ({ data }) => data?.searchContacts?.nodes.length === 5,
    },
    {
      name: 'a look-up in the cache',
      share: 10,
      refusals: CRM,
      ask: () =>
        toGraphQL(
          `{ searchContacts(filter: { email: "${EMAIL}" }, readFromCache: true) { ${CONTACTS} } }`,
          anyCustomer(),
          crm(),
        ),
      isRight: ({ data }) => hasAda(data?.searchContacts),
    },
    {
      name: 'an upsert with connections',
      share: 10,
      ask: () => toUpsert(anyCustomer(), accounts),
      isRight: ({ customer_id, connections }) =>
        customer_id?.startsWith('soak-') && connections?.length === 2,
    },
    {
      name: 'a customer',
      share: 10,
      ask: () =>
        toGraphQL('{ customer { name connections { providerName } } }', anyCustomer(), crm()),
      isRight: ({ data }) => data?.customer?.connections.length === 2,
    },
    {
      name: 'a CRM that cannot be searched',
      share: 1,
      ask: () =>
        toGraphQL(
          '{ searchContacts(filter: { email: "a@b.c" }) { totalCount } }',
          anyCustomer(),
          'slack',
        ),
      refusals: /^NOT_IMPLEMENTED$/,
      isRight: () => false,
    },
    {
      name: 'a key that is wrong',
      share: 1,
      ask: () => {
        const request = toGraphQL('{ customer { name } }', anyCustomer(), 'slack');
        return { ...request, headers: { ...request.headers, 'x-api-key': 'cbk_wrong' } };
      },
      refusals: /^UNAUTHORIZED$/,
      isRight: () => false,
    },
  ];
}

/** Contains the credentials of both CRMs, so that a connection that a fault has disconnected is repaired soon. */
export function toUpsert(customerId: string, { hubspot, salesforce }: Accounts): HttpRequest {
  const connections = [
    {
      provider_name: 'hubspot',
      instance_url: hubspot.instanceUrl,
      credentials: { type: 'token', value: hubspot.staticToken },
    },
    {
      provider_name: 'salesforce',
      instance_url: salesforce.instanceUrl,
      credentials: {
        type: 'oauth2',
        access_token: salesforce.accessToken,
        refresh_token: salesforce.refreshToken,
      },
    },
  ];
  const body = { customer_id: customerId, name: 'Soak', email: 'soak@example.com', connections };
  return { method: 'PUT', path: '/customers', body, headers: {} };
}

function toGraphQL(query: string, customer: string, provider: string): HttpRequest {
  const headers = { 'x-customer-id': customer, 'x-provider-name': provider };
  return { method: 'POST', path: '/graphql', body: { query }, headers };
}

function toAliases(count: number): string {
  const alias = (n: number) =>
    `a${n}: searchContacts(provider: ${n % 2 ? 'HUBSPOT' : 'SALESFORCE'}, filter: { email: "${EMAIL}" }) { ${CONTACTS} }`;
  return Array.from({ length: count }, (_, n) => alias(n)).join(' ');
}

function hasAda(page: Answer): boolean {
  return page?.nodes?.length === 1 && page.nodes[0].firstName === 'Ada';
}

const CRM = /^REMOTE_PROVIDER_/;
const EMAIL = 'ada@example.com';
const CONTACTS = 'nodes { firstName emailAddresses { emailAddress } } totalCount';

// biome-ignore lint/suspicious/noExplicitAny: a response can be anything; each operation checks it.
export type Answer = any;

export interface Operation {
  readonly name: string;
  /** In percent. */
  readonly share: number;
  /** Codes that are expected for this operation, besides those for an unavailable database and load shedding. */
  readonly refusals?: RegExp;
  ask(): HttpRequest;
  isRight(answer: Answer): boolean;
  /** For a partial response: whether the data beside the errors are correct and complete. */
  isPartRight?(answer: Answer): boolean;
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** The accounts of the sandbox's demo. */
export interface Accounts {
  readonly hubspot: Account;
  readonly salesforce: Account;
}

export interface Account {
  readonly instanceUrl: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly staticToken: string | undefined;
}
