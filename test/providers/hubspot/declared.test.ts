import { expect, test } from 'vitest';
import { CONTACT_OBJECT } from '../../../src/providers/hubspot/contacts.ts';
import { propertiesFor } from '../../../src/providers/hubspot/object.ts';
import { hubspot } from '../../../src/providers/hubspot/provider.ts';
import { createConnection } from '../../support/connection.ts';

const access = hubspot.crm;

test.each([null, 'https://app.hubspot.com/contacts/1', 'https://evil.example'])(
  'the API is at one origin, whatever the instance URL: %s',
  (url) => {
    expect(access?.origin(url)).toBe('https://api.hubapi.com');
  },
);

test('the budgets stay below what HubSpot documents', () => {
  const { search, general } = access?.budgets ?? {};
  expect(search?.calls).toBeLessThan(5);
  expect(search?.intervalMs).toBe(1_000);
  expect(general?.calls).toBeLessThan(100);
  expect(general?.intervalMs).toBe(10_000);
});

test.each([
  ['100', '42', '10000', { max: 100, remaining: 42, intervalMs: 10_000 }],
  ['190', '0', '10000', { max: 190, remaining: 0, intervalMs: 10_000 }],
  ['190', '', '10000', undefined],
  ['many', '1', '10000', undefined],
  ['0', '0', '10000', undefined],
  ['-1', '5', '10000', undefined],
])(
  'rate limit headers of max %s, remaining %s and interval %s are read if they are valid',
  (max, remaining, interval, rateLimit) => {
    const headers = {
      'x-hubspot-ratelimit-max': max,
      'x-hubspot-ratelimit-remaining': remaining,
      'x-hubspot-ratelimit-interval-milliseconds': interval,
    };
    expect(access?.readRateLimitStatus({ status: 200, headers, body: '' }, 'general')).toEqual(
      rateLimit,
    );
  },
);

test('a response of a search, which has no such headers, gives no rate limit', () => {
  const headers = { 'x-hubspot-ratelimit-daily': '1', 'x-hubspot-ratelimit-daily-remaining': '0' };
  expect(
    access?.readRateLimitStatus({ status: 200, headers, body: '' }, 'general'),
  ).toBeUndefined();
});

test('mapped fields of contacts are requested once, whatever the case of the object name', () => {
  const mapping = (...fields: readonly string[]) =>
    fields.map((mappedField) => ({ schemaField: 'x', mappedField }));
  const properties = propertiesFor(
    CONTACT_OBJECT,
    createConnection('hubspot', {
      schemaMappingsConfig: {
        commonObjects: [{ object: 'CONTACTS', fieldMappings: mapping('a', 'email', ' ') }],
        standardObjects: [
          { object: 'contact', fieldMappings: mapping('a', ' b ') },
          { object: 'company', fieldMappings: mapping('no') },
        ],
      },
      entityMappings: [
        {
          entityId: null,
          object: { type: 'standard', name: 'Contacts' },
          fieldMappings: mapping('c'),
        },
        {
          entityId: null,
          object: { type: 'custom', name: 'contact' },
          fieldMappings: mapping('no'),
        },
        { entityId: null, object: null, fieldMappings: mapping('no') },
      ],
    }),
    { rawData: true, fields: new Set(['firstName']) },
  );
  expect(properties.slice(-3)).toEqual(['a', 'b', 'c']);
  expect(properties.filter((name) => name === 'email')).toHaveLength(1);
  expect(properties).not.toContain('no');
});
