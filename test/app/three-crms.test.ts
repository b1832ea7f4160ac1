import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp({ sandbox: { port: 0, hosts: [], all: true } });
});
afterAll(() => crossbook.app.close());

test('three CRMs of one customer are searched in one operation, and one that is down leaves the others', async () => {
  const search = (provider: string) =>
    `${provider.toLowerCase()}: searchContacts(provider: ${provider}, filter: { email: "ada@example.com" }) { nodes { firstName } }`;
  const query = `{ ${['HUBSPOT', 'SALESFORCE', 'PIPEDRIVE'].map(search).join(' ')} }`;
  const ada = { nodes: [{ firstName: 'Ada' }] };
  expect(await crossbook.execute(query)).toEqual({
    data: { hubspot: ada, salesforce: ada, pipedrive: ada },
  });
  crossbook.sandbox.salesforce.demo.fail('unavailable', { times: 99 });
  const { data, errors } = await crossbook.execute(query);
  expect(data).toEqual({ hubspot: ada, salesforce: null, pipedrive: ada });
  expect(errors?.map(({ path }: { path: unknown }) => path)).toEqual([['salesforce']]);
  crossbook.sandbox.salesforce.demo.clearFaults();
});

test('pages of Pipedrive lead forward, and what it cannot do is declared and NOT_IMPLEMENTED', async () => {
  const page = (args: string, filter = '{ all: true }') =>
    crossbook.execute(
      `{ searchContacts(provider: PIPEDRIVE, filter: ${filter}, ${args}) { totalCount nodes { remoteId } pageInfo { endCursor hasNextPage } } }`,
    );
  const first = (await page('first: 3')).data.searchContacts;
  expect(first).toMatchObject({ totalCount: null, pageInfo: { hasNextPage: true } });
  const next = (await page(`first: 3, after: "${first.pageInfo.endCursor}"`)).data.searchContacts;
  const ids = [...first.nodes, ...next.nodes].map(({ remoteId }) => Number(remoteId));
  expect(ids).toEqual([101, 102, 103, 104, 105, 106]);
  const codeOf = async (args: string, filter?: string) =>
    (await page(args, filter)).errors?.[0].extensions.code;
  expect(await codeOf('last: 3')).toBe('NOT_IMPLEMENTED');
  expect(await codeOf('first: 3', '{ namePrefix: "ad" }')).toBe('NOT_IMPLEMENTED');
  const emails = Array.from({ length: 51 }, (_, index) => `"p${index}@example.com"`);
  expect(await codeOf('first: 3', `{ emails: [${emails}] }`)).toBe('BAD_REQUEST');
  const { data } = await crossbook.execute(
    '{ providers { name capabilities { record canPageBackward canCount filters { name maxValues } } } }',
  );
  const { capabilities } = data.providers.find(
    ({ name }: { name: string }) => name === 'PIPEDRIVE',
  );
  expect(capabilities[0]).toMatchObject({ canPageBackward: false, canCount: false });
  expect(capabilities[0].filters).toContainEqual({ name: 'emails', maxValues: 50 });
});
