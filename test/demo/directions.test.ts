import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toDirections } from '../../src/demo/directions.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

test('a vendor’s login host maps to a local origin, where the sandbox serves it under the original host name', () => {
  const { toSandboxLogin, findSandboxOfLogin } = toDirections(sandbox);
  const { hubspot, salesforce } = sandbox;
  const port = new URL(salesforce.origin).port;
  expect(toSandboxLogin('hubspot', 'https://app.hubspot.com')).toBe(hubspot.origin);
  expect(toSandboxLogin('salesforce', 'https://login.salesforce.com')).toBe(salesforce.origin);
  const own = toSandboxLogin('salesforce', 'https://northwind.my.salesforce.com') ?? '';
  expect(own).toBe(`http://northwind.my.salesforce.localhost:${port}`);
  for (const login of [salesforce.origin, own])
    expect(findSandboxOfLogin(login)).toMatchObject({
      client: { clientId: salesforce.demo.clientId },
      tokenOrigin: salesforce.nameOrigin,
    });
  expect(findSandboxOfLogin(own)?.toInstanceUrl(salesforce.origin)).toBe(salesforce.nameOrigin);
  const portal = 'https://app.hubspot.com/contacts/1';
  expect(findSandboxOfLogin(hubspot.origin)?.toInstanceUrl(portal)).toBe(
    `${hubspot.nameOrigin}/contacts/1`,
  );
});

test.each([
  'https://login.salesforce.com',
  'http://127.0.0.1:1',
  'http://evil.example',
  'http://localhost.evil.example',
])('%s is not a login host of the sandbox', (origin) => {
  const { port } = new URL(sandbox.salesforce.origin);
  const { findSandboxOfLogin } = toDirections(sandbox);
  expect(findSandboxOfLogin(origin)).toBeUndefined();
  if (origin.endsWith('.example')) expect(findSandboxOfLogin(`${origin}:${port}`)).toBeUndefined();
});

test('without a sandbox, or for a provider that it does not simulate, there is no local origin', () => {
  expect(
    toDirections(undefined).toSandboxLogin('hubspot', 'https://app.hubspot.com'),
  ).toBeUndefined();
  expect(toDirections(undefined).findSandboxOfLogin(sandbox.hubspot.origin)).toBeUndefined();
  expect(
    toDirections(sandbox).toSandboxLogin('zoho_crm', 'https://accounts.zoho.com'),
  ).toBeUndefined();
});
