import { expect, test } from 'vitest';
import { readAddress, toHref } from '../src/router.ts';

test.each([
  { path: [], filters: {} },
  { path: ['customers', 'a/b?c#d %'], filters: { status: 'reauthorize' } },
  { path: ['applications'], filters: { q: '<b>&=+ä' } },
])('an address is read as it was written: %j', (address) => {
  const { pathname, search } = new URL(
    toHref(address.path, address.filters),
    'http://localhost:4000',
  );
  expect(readAddress({ pathname, search })).toEqual(address);
});

test('filters without a value are left out of an address', () => {
  expect(toHref(['customers'], { q: '', status: undefined })).toBe('/console/customers');
});

test('a part that is not percent-encoded stays as it is', () => {
  expect(readAddress({ pathname: '/console/customers/%E0', search: '' }).path).toEqual([
    'customers',
    '%E0',
  ]);
});
