import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';
import { runCli } from '../support/run-cli.ts';
import { toFetch } from '../support/to-fetch.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

const check = (customer: string, provider: string, options = '', key = crossbook.key) =>
  runCli(`connections check ${customer} ${provider} ${options}`.trim().split(' '), {
    input: `${key}\n`,
    fetch: ((url: string, init: RequestInit) =>
      toFetch(crossbook.app.answer)(new Request(url, init))) as typeof fetch,
  });

test.each(['hubspot', 'salesforce'])(
  'everything is read from %s, and the report has no value of a record',
  async (provider) => {
    const { code, stdout } = await check('demo', provider);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Crossbook \\S+, ${provider}, \\d{4}-`));
    expect(stdout).toMatch(
      /\| the connection \| ok \| \d+ ms \| contact: read and write, company: read/,
    );
    expect(stdout).toMatch(/\| contacts: the first page \| ok \| .* \| 20 of \d+; /);
    expect(stdout).toMatch(/\| contacts: by email address \| ok \|/);
    expect(stdout).toMatch(/\| pipelines of deals \| ok \| \d+ ms \| \d+, with \d+ stages \|/);
    expect(stdout).not.toMatch(/failed|skipped/);
    for (const value of ['@', 'Ada', 'Analytical', crossbook.key])
      expect(stdout).not.toContain(value);
  },
);

test('what was not granted is skipped, and what fails is a failure', async () => {
  const token = crossbook.sandbox.hubspot.demo.staticToken;
  const connections = [
    {
      provider_name: 'hubspot',
      instance_url: crossbook.sandbox.hubspot.origin,
      credentials: { type: 'token', value: token },
    },
  ];
  const customer = { customer_id: 'reader', name: 'R', email: 'r@example.com', connections };
  await crossbook.rest('PUT', '/customers', customer);
  const { code, json } = await check('reader', 'hubspot', '--json');
  expect(code).toBe(0);
  const states = Object.fromEntries(
    json().checks.map(({ name, state }: { name: string; state: string }) => [name, state]),
  );
  expect(states).toMatchObject({ 'contacts: the first page': 'ok', companies: 'skipped' });

  const forbidden = {
    kind: 'answer',
    status: 403,
    body: '{"category": "MISSING_SCOPES"}',
  } as const;
  crossbook.sandbox.hubspot.demo.fail(forbidden, { times: 50 });
  const refused = await check('demo', 'hubspot');
  crossbook.sandbox.hubspot.demo.clearFaults();
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(/\| deals \| failed \| \d+ ms \| REMOTE_PROVIDER_FORBIDDEN: /);

  crossbook.sandbox.hubspot.demo.fail({ kind: 'answer', status: 503, body: '' }, { times: 50 });
  const failed = await check('demo', 'hubspot');
  expect(failed.code).toBe(1);
  expect(failed.stdout).toMatch(/\| deals \| failed \| \d+ ms \| REMOTE_PROVIDER_UNAVAILABLE: /);
});

test('a wrong key, customer or provider is said', async () => {
  expect((await check('demo', 'hubspot', '', '')).code).toBe(2);
  expect((await check('demo', 'nothing')).code).toBe(2);
  const nobody = await check('nobody', 'hubspot', '--json');
  expect(nobody.json().checks).toMatchObject([
    { state: 'failed', detail: 'NOT_FOUND: There is no customer "nobody".' },
  ]);
  expect((await check('demo', 'hubspot', '', 'wrong')).stdout).toContain('UNAUTHORIZED');
});
