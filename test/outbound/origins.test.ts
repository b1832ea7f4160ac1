import { describe, expect, test } from 'vitest';
import { resolveOrigin } from '../../src/outbound/access-token/token-endpoint.ts';

const rules = {
  hosts: [/^[a-z0-9-]+\.my\.salesforce\.com$/],
  sandboxOrigins: ['http://127.0.0.1:4010'],
  originOf: (instanceUrl: string | null) =>
    instanceUrl === null ? undefined : new URL(instanceUrl).origin,
};

describe('the origin that receives a token', () => {
  test('is the one that the provider declares for the instance', () => {
    expect(resolveOrigin('https://acme.my.salesforce.com/x', rules)).toBe(
      'https://acme.my.salesforce.com',
    );
    const fixed = { ...rules, originOf: () => 'https://api.hubapi.com' };
    expect(resolveOrigin('https://acme.my.salesforce.com', fixed)).toBe('https://api.hubapi.com');
    expect(resolveOrigin(null, fixed)).toBe('https://api.hubapi.com');
  });

  test('is the sandbox for a connection of the sandbox, whatever the provider declares', () => {
    const fixed = { ...rules, originOf: () => 'https://api.hubapi.com' };
    expect(resolveOrigin('http://127.0.0.1:4010/contacts/1', fixed)).toBe('http://127.0.0.1:4010');
  });

  test.each([
    null,
    'https://evil.example',
    'http://acme.my.salesforce.com',
    'http://127.0.0.1:4011',
    'nonsense',
  ])('is undefined for the instance %s', (instanceUrl) => {
    expect(() => resolveOrigin(instanceUrl, rules)).toThrow(
      expect.objectContaining({ code: 'UNPROCESSABLE_ENTITY' }),
    );
  });

  test.each([
    'http://api.hubapi.com',
    'https://10.0.0.1',
    'https://api.hubapi.com/',
    'https://u@api.hubapi.com',
  ])('cannot be %s, even if a provider declares it', (origin) => {
    expect(() => resolveOrigin(null, { ...rules, originOf: () => origin })).toThrow(
      'no plain https host',
    );
  });
});
