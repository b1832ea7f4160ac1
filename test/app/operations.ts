import type { Json } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';
import type { CallersApp } from './open-callers.ts';

/** Every operation that a caller can perform, by names such as `REST read own`, and the resulting status. */
export async function createOperations({ crossbook, callers }: CallersApp): Promise<Operations> {
  const ids = await findIds();
  return { perform, ask, send };

  async function perform(operation: string, headers: Sent): Promise<string> {
    const [kind = '', what = '', whose = ''] = operation.split(' ');
    const customerId = whose === 'own' ? 'demo' : whose;
    if (kind === 'REST') return performRest(what, customerId, headers);
    if (kind !== 'nested') return ask(toQuery(kind, what, customerId), headers);
    return askNested(what === 'salesforce' ? 'SALESFORCE' : 'HUBSPOT', customerId, headers);
  }

  async function performRest(what: string, customerId: string, headers: Sent): Promise<string> {
    const path = `/customers/${customerId}`;
    const search = (provider: string) => {
      const target = { 'x-customer-id': customerId, 'x-provider-name': provider };
      return send(
        'POST',
        '/contacts/_search',
        { ...headers, ...target },
        { filter: { email: ADA } },
      );
    };
    const customer = { customer_id: customerId, name: 'N', email: 'n@example.com' };
    const answers: Record<string, () => ReturnType<typeof send>> = {
      read: () => send('GET', path, headers),
      search: () => search('hubspot'),
      salesforce: () => search('salesforce'),
      upsert: () => send('PUT', '/customers', headers, customer),
      token: () => send('POST', `${path}/tokens`, headers, {}),
      customFields: () => send('GET', '/custom_fields/contact', headers),
      declare: () => send('PUT', '/custom_fields/contact', headers, { definitions: [] }),
      mappings: () =>
        send('GET', `${path}/connections/hubspot/custom_field_mappings/contact`, headers),
      problems: () => send('GET', `${path}/connections/hubspot/mapping_problems`, headers),
      crmFields: () => send('GET', `${path}/connections/hubspot/provider_fields/contact`, headers),
      salesforceFields: () =>
        send('GET', `${path}/connections/salesforce/provider_fields/contact`, headers),
      map: () =>
        send('PUT', `${path}/connections/hubspot/custom_field_mappings/contact`, headers, {
          mappings: [],
        }),
      client: () =>
        send('PUT', '/oauth_clients/hubspot', headers, { client_id: 'i', client_secret: 's' }),
    };
    const answer = await answers[what]?.();
    if (!answer) throw new Error(`There is no operation ${what}.`);
    const errorStatus = answer.status === 200 ? '200' : answer.body.errors[0].status;
    return errorStatus === String(answer.status)
      ? errorStatus
      : `${answer.status} with error status ${errorStatus}`;
  }

  async function ask(query: string, headers: Sent): Promise<string> {
    const { data, errors } = await post(query, headers);
    if (errors) return errors[0].extensions.status;
    const result = [data.result ?? data].flat()[0];
    return result === null || result === undefined || data.result === null ? 'null' : '200';
  }

  /** Each connection is resolved separately: its error has its own path. */
  async function askNested(provider: string, customerId: string, headers: Sent): Promise<string> {
    const query = `{ customer(customerId: "${customerId}") {
      connections { providerName searchContacts(filter: { email: "${ADA}" }) { totalCount } } } }`;
    const { data, errors = [] } = await post(query, headers);
    if (!data?.customer) return errors[0].extensions.status;
    const place = data.customer.connections.findIndex((one: Json) => one.providerName === provider);
    if (place === -1) return 'hidden';
    const error = errors.find(({ path }: Json) => path[2] === place);
    return (
      error?.extensions.status ?? (data.customer.connections[place].searchContacts ? '200' : 'null')
    );
  }

  function toQuery(kind: string, what: string, customerId: string): string {
    const id = JSON.stringify(
      ids[`${what === 'id' ? 'customer' : what} ${customerId}`] ?? 'missing',
    );
    const query = {
      node: `{ result: node(id: ${id}) { id } }`,
      nodes: `{ result: nodes(ids: [${id}]) { id } }`,
      field: toField(what, customerId),
      entity: toEntities(what, customerId, id),
      mutation: toMutation(what, customerId),
    }[kind];
    if (!query) throw new Error(`There is no operation ${kind} ${what}.`);
    return query;
  }

  async function findIds(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const [customerId, caller] of [
      ['demo', 'key'],
      ['sibling', 'key'],
      ['theirs', 'otherKey'],
    ] as const) {
      const headers = callers[caller] ?? {};
      const { data } = await post(`{ customer(customerId: "${customerId}") { id } }`, headers);
      found[`customer ${customerId}`] = data.customer.id;
      for (const what of ['contact', 'salesforce']) {
        const answer = await post(toField(what, customerId).replace('result:', 'found:'), headers);
        const [contact] = answer.data.found?.nodes ?? [];
        if (contact) found[`${what} ${customerId}`] = contact.id;
      }
    }
    return found;
  }

  async function post(query: string, headers: Sent): Promise<Json> {
    return (await send('POST', '/graphql', headers, { query })).body;
  }

  async function send(method: string, path: string, headers: Sent, body?: unknown) {
    const request = new Request(`http://crossbook.test${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const response = await toFetch(crossbook.app.answer)(request);
    return { status: response.status, body: (await response.json()) as Json };
  }
}

function toField(what: string, customerId: string): string {
  if (what === 'providers') return '{ result: providers { name } }';
  if (what === 'customer') return `{ result: customer(customerId: "${customerId}") { name } }`;
  const provider = what === 'salesforce' ? 'SALESFORCE' : 'HUBSPOT';
  return `{ result: searchContacts(customerId: "${customerId}", provider: ${provider},
    filter: { email: "${ADA}" }) { nodes { id } } }`;
}

function toEntities(what: string, customerId: string, id: string): string {
  const type = what === 'contact' ? 'Contact' : 'Customer';
  const key = what === 'customer' ? `customerId: "${customerId}"` : `id: ${id}`;
  return `{ result: _entities(representations: [{ __typename: "${type}", ${key} }]) { __typename } }`;
}

function toMutation(what: string, customerId: string): string {
  const client = 'provider: HUBSPOT, clientId: "i", clientSecret: "s"';
  const mutations: Record<string, string> = {
    token: `issueCustomerToken(input: { customerId: "${customerId}" }) { token }`,
    client: `setOAuthClient(input: { ${client} }) { oauthClient { clientId } }`,
    upsert: `upsertCustomer(input: { customerId: "${customerId}", name: "N", email: "n@example.com" }) { created }`,
  };
  return `mutation { result: ${mutations[what]} }`;
}

const ADA = 'ada@example.com';

type Sent = Readonly<Record<string, string>>;

export interface Operations {
  /** The status, or `null` where the field is null without an error. */
  perform(operation: string, headers: Sent): Promise<string>;
  ask(query: string, headers: Sent): Promise<string>;
  send(
    method: string,
    path: string,
    headers: Sent,
    body?: unknown,
  ): Promise<{ status: number; body: Json }>;
}
