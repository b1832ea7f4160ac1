import { expect, test } from 'vitest';
import { createFindCustomer } from '../../src/workers/find-customer.ts';
import { placeOf } from '../../src/workers/forwarding.ts';

const find = createFindCustomer();
const text = (found: Buffer | undefined) => found?.toString();
const toToken = (claims: unknown) =>
  `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

test.each([
  ['a header', { url: '/graphql', headers: { 'x-customer-id': 'acme' } }, 'acme'],
  ['a path', { url: '/customers/acme', headers: {} }, 'acme'],
  ['a longer path', { url: '/customers/a%20b/connections/hubspot?x=1', headers: {} }, 'a b'],
  ['a token', { url: '/mcp', headers: { authorization: toToken({ sub: 'acme' }) } }, 'acme'],
  [
    'a token before a header',
    { headers: { authorization: toToken({ sub: 'acme' }), 'x-customer-id': 'other' } },
    'acme',
  ],
])('a customer is named by %s', (_by, request, customer) => {
  expect(text(find(request))).toBe(customer);
});

test.each([
  ['nothing', { url: '/graphql', headers: {} }],
  ['an empty header', { url: '/graphql', headers: { 'x-customer-id': '' } }],
  ['the list of customers', { url: '/customers?page_size=2', headers: {} }],
  ['a broken path', { url: '/customers/%E0%A4%A', headers: {} }],
  ['a token without a subject', { headers: { authorization: toToken({}) } }],
  ['a token with another subject', { headers: { authorization: toToken({ sub: { a: 1 } }) } }],
  ['null as a token', { headers: { authorization: toToken(null) } }],
  ['a token that is no JSON', { headers: { authorization: 'Bearer a.b.c' } }],
  ['another scheme', { headers: { authorization: 'Basic YTpi' } }],
])('no customer is named by %s', (_by, request) => {
  expect(find(request)).toBeUndefined();
});

test('with a path prefix, only paths below it name a customer', () => {
  const prefixed = createFindCustomer('/mgmt/v2');
  expect(text(prefixed({ url: '/mgmt/v2/customers/acme', headers: {} }))).toBe('acme');
  expect(prefixed({ url: '/customers/acme', headers: {} })).toBeUndefined();
});

test('a customer has one place, by whatever it is named, and customers are spread over all places', () => {
  const named = [
    { url: '/customers/M%C3%BCller', headers: {} },
    { url: '/', headers: { authorization: toToken({ sub: 'Müller' }) } },
    { url: '/', headers: { 'x-customer-id': Buffer.from('Müller').toString('latin1') } },
  ].map((request) => placeOf(find(request) ?? Buffer.alloc(0), 7));
  expect(new Set(named).size).toBe(1);
  const counts = [0, 0, 0, 0];
  for (let number = 0; number < 4_000; number += 1) {
    const place = placeOf(Buffer.from(`customer-${number}`), 4);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(800);
});
