import { analyzeCost } from '@crossbook/executor';
import { getOperationAST, parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/graphql/engine/limits.ts';
import { apiSchema } from '../../../src/graphql/schema.ts';
import { openGateway, type TestGateway } from './open-gateway.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await openGateway({ notes: 1, maxCost: 1_000_000 });
});
afterAll(() => gateway.close());

const EMAILS = Array.from({ length: 300 }, (_, index) => `"person.${index}@lumen.example"`).join();
const DOMAIN = '(provider: HUBSPOT, filter: { emailDomain: "bigco.example" }, first: 3)';

test.each([
  ['a page', `{ searchContacts${DOMAIN} { nodes { firstName } } }`],
  [
    'two pages',
    `{ a: searchContacts${DOMAIN} { totalCount } b: searchContacts${DOMAIN} { totalCount } }`,
  ],
])('a gateway counts the CRM calls of %s as we do', async (_what, query) => {
  const { theirs, ours } = await countBoth(query);
  const calls = CALL * (query.match(/searchContacts/g)?.length ?? 0);
  expect(theirs).toBeGreaterThanOrEqual(calls);
  expect(ours).toBeGreaterThanOrEqual(calls);
});

/** What the directives cannot express: our own limit applies. */
test.each([
  [
    'more emails than the hundred of one call',
    `{ searchContacts(provider: HUBSPOT, filter: { emails: [${EMAILS}] }) { totalCount } }`,
  ],
  [
    'fields of scalar type',
    `{ searchContacts${DOMAIN} { nodes { firstName lastName createdAt updatedAt } } }`,
  ],
  [
    'the same field under many names',
    `{ customer { ${Array.from({ length: 50 }, (_, index) => `a${index}: name`).join(' ')} } }`,
  ],
  ['__typename', '{ customer { __typename connections { __typename providerName } } }'],
])('a gateway counts less than we do for %s', async (_what, query) => {
  const { theirs, ours } = await countBoth(query);
  expect(theirs).toBeLessThan(ours);
});

async function countBoth(
  query: string,
): Promise<{ readonly theirs: number; readonly ours: number }> {
  const caller = { 'x-api-key': gateway.crossbook.key, 'x-customer-id': 'demo' };
  const { errors, extensions } = await gateway.ask(query, caller);
  expect(errors).toBeUndefined();
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('There is no operation.');
  const { cost } = analyzeCost({
    schema: apiSchema,
    document,
    operation,
    variables: {},
    limits: DEFAULT_LIMITS,
  });
  return { theirs: (extensions as { cost: { estimated: number } }).cost.estimated, ours: cost };
}

const CALL = 150;
