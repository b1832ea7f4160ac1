import { expect, test } from 'vitest';
import { listCallableHosts } from '../../src/domain/provider.ts';
import { PROVIDER_CATEGORIES, PROVIDER_NAMES } from '../../src/domain/provider-names.ts';
import { createRegistry } from '../../src/providers/registry.ts';

const registry = createRegistry();

test('the registry has all eighteen providers, each with its name and category', () => {
  expect([...registry.keys()].sort()).toEqual([...PROVIDER_NAMES].sort());
  expect(registry.size).toBe(18);
  for (const [name, provider] of registry) {
    expect(provider.name).toBe(name);
    expect(provider.category).toBe(PROVIDER_CATEGORIES[name]);
  }
});

test('three providers can be searched, and Salesforce has no associations', () => {
  const searchable = [...registry.values()].filter(({ crm }) => crm !== undefined);
  expect(searchable.map(({ name }) => name).sort()).toEqual(['hubspot', 'pipedrive', 'salesforce']);
  expect(registry.get('hubspot')?.crm?.records.CONTACT.associatedObjects).toEqual([
    'company',
    'deal',
    'ticket',
  ]);
  expect(registry.get('salesforce')?.crm?.records.CONTACT.associatedObjects).toEqual([]);
});

test.each([
  ['hubspot', 'app.hubspot.com', true],
  ['hubspot', 'app-eu1.hubspot.com', true],
  ['hubspot', 'api.hubapi.com', false],
  ['hubspot', 'app.hubspot.com.evil.example', false],
  ['pipedrive', 'acme.pipedrive.com', true],
  ['pipedrive', 'evilpipedrive.com', false],
  ['pipedrive', 'acme.pipedrive.com.evil.example', false],
  ['zendesk_sell', 'api.getbase.com', true],
  ['ms_dynamics_365_sales', 'acme.crm4.dynamics.com', true],
  ['ms_dynamics_365_sales', 'acme.api.crm.dynamics.com', true],
  ['ms_dynamics_365_sales', 'acme.crm.microsoftdynamics.us', true],
  ['ms_dynamics_365_sales', 'acme.crm123.dynamics.com', false],
  ['ms_dynamics_365_sales', 'acme.crmXdynamics.com', false],
  ['zoho_crm', 'www.zohoapis.com.au', true],
  ['zoho_crm', 'www.zohoapis.evil', false],
  ['capsule', 'api.capsulecrm.com', true],
  ['6sense', 'api.6sense.com', true],
  ['slack', 'acme.slack.com', true],
  ['slack', 'slackXcom', false],
] as const)('%s at %s: %s', (name, host, allowed) => {
  expect(registry.get(name)?.instanceHosts.some((pattern) => pattern.test(host))).toBe(allowed);
});

test('every host pattern is stateless and anchored', () => {
  for (const provider of registry.values())
    for (const { flags, source } of listCallableHosts(provider)) {
      expect(flags).not.toMatch(/[gy]/);
      expect(source).toMatch(/^\^.*\$$/);
    }
});
