import '../support/process-sources.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { READABLE, SPELLINGS, STATUSES } from './corpus/echoes.ts';
import { upsert } from './target/open-target.ts';
import { openPrepared, type Prepared } from './target/prepare.ts';
import { type Received, send, toGraphQL } from './target/send.ts';

let prepared: Prepared;
/** What a CRM could echo: the token that it received. */
let tokens: Readonly<Record<CrmName, string>>;
let customers = 0;

beforeAll(async () => {
  prepared = await openPrepared();
  const { hubspot, salesforce } = prepared.target.crms;
  const [{ staticToken = '' }, { accessToken }] = [await hubspot.demo(), await salesforce.demo()];
  tokens = { hubspot: staticToken, salesforce: accessToken };
});
afterAll(async () => {
  const { target, judge } = prepared;
  expect(await target.close()).toBe(0);
  expect(target.product.lines().filter((line) => judge.findSecret(line))).toEqual([]);
});

const CRMS = ['hubspot', 'salesforce'] as const;
const APIS = ['GraphQL', 'REST'] as const;

describe.each(CRMS)('%s echoes the token that it received:', (crm) => {
  describe.each(APIS)('a %s request does not reveal it', (api) => {
    test.each(STATUSES)(
      'with status %i, in JSON fields, and other text is kept',
      async (status) => {
        const spelled = Object.values(SPELLINGS).map((spell) => spell(tokens[crm]));
        const body = {
          message: MARK,
          fields: Object.fromEntries(spelled.map((text, n) => [`f${n}`, text])),
          spelled,
        };
        const received = await ask(crm, api, {
          kind: 'answer',
          status,
          body,
          headers: { 'x-echo': tokens[crm] },
        });
        expect(prepared.judge.checkAlways(received)).toEqual([]);
        if (READABLE.includes(status)) expect(received.text).toContain(MARK);
      },
    );

    test.each(STATUSES)('with status %i, in an HTML page', async (status) => {
      const spelled = Object.values(SPELLINGS).map((spell) => `<p>${spell(tokens[crm])}</p>`);
      const received = await ask(crm, api, { kind: 'answer', status, body: spelled.join('\n') });
      expect(prepared.judge.checkAlways(received)).toEqual([]);
    });
  });

  test.each(Object.entries(SPELLINGS))(
    'in the encoding %s, in an HTML page',
    async (_title, spell) => {
      const body = `<html><body>Unexpected argument: ${spell(tokens[crm])} at all.</body></html>`;
      const received = await ask(crm, 'GraphQL', { kind: 'answer', status: 400, body });
      expect(prepared.judge.checkAlways(received)).toEqual([]);
      expect(received.text).toContain('"cause"');
    },
  );

  test('a token that is split between two JSON fields', async () => {
    const [from, to] = [tokens[crm].slice(0, 20), tokens[crm].slice(20)];
    const received = await ask(crm, 'GraphQL', { kind: 'answer', status: 400, body: { from, to } });
    expect(prepared.judge.checkAlways(received)).toEqual([]);
  });
});

/** Each by a customer of its own, because an error can change the status of its connection. */
async function ask(name: CrmName, api: (typeof APIS)[number], fault: Fault): Promise<Received> {
  const { url, callers, crms } = prepared.target;
  const crm = crms[name];
  const customer = `echo-${customers++}`;
  await upsert(url, callers.key, customer, [crm.connect(await crm.demo())]);
  // Longer than any request waits: a transient failure is reported immediately instead of being retried.
  const answered = { ...fault, headers: { ...fault.headers, 'retry-after': '700' } };
  await crm.fail(answered, { times: 50 });
  const headers = {
    ...callers.key,
    'x-customer-id': customer,
    'x-provider-name': name,
    'content-type': 'application/json',
  };
  const query = '{searchContacts(filter:{emailDomain:"example.com"},first:3){nodes{id rawData}}}';
  const rest = {
    path: '/contacts/_search',
    headers,
    body: JSON.stringify({ filter: { email_domain: 'example.com' } }),
  };
  const received = await send(url, api === 'REST' ? rest : toGraphQL({ query }, headers));
  await crm.recover();
  return received;
}

const MARK = 'what the CRM has to say stays readable';

type CrmName = (typeof CRMS)[number];

interface Fault extends Record<string, unknown> {
  readonly headers?: Readonly<Record<string, string>>;
}
