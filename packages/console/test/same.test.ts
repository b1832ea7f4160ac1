import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { same } from '../src/same.ts';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
/** Lists all of them, which a test of the command line checks. */
const commands = readFileSync('docs/command-line.md', 'utf8');
const NAME = `"Ada's" \\ café $HOME\n`;
const SYNC = { customerId: NAME, provider: 'hubspot', table: 'contacts' };
const LINK = {
  customerId: NAME,
  providers: ['hubspot', '6sense'],
  records: ['contact', 'deal'],
  access: 'read_write',
  returnUrl: 'https://app.example/',
};

/** The arguments of each, with a name that has to be quoted. */
const ARGUMENTS: { readonly [Name in keyof typeof same]: Parameters<(typeof same)[Name]> } = {
  createApplication: [NAME],
  renameApplication: ['app-1', NAME],
  deleteApplication: ['app-1', NAME],
  addOrigin: ['app-1', 'https://app.example'],
  removeOrigin: ['app-1', 'https://app.example'],
  createKey: ['app-1', NAME],
  rotateKey: ['key-1'],
  revokeKey: ['key-1'],
  deleteCustomer: [NAME],
  disconnectProvider: [NAME, 'ms_dynamics_365_sales'],
  createConnectLink: [LINK],
  createMappingLink: [
    { application: 'app-1', customerId: NAME, provider: 'hubspot', returnUrl: LINK.returnUrl },
  ],
  cancelConnectLink: ['link-1'],
  startSync: [SYNC],
  startFullSync: [SYNC],
  pauseSync: [SYNC],
  resumeSync: [SYNC],
  deleteSyncDestination: [],
  createWebhookEndpoint: ['https://app.example/hooks'],
  enableWebhookEndpoint: ['endpoint-1', true],
  sendTestEvent: ['endpoint-1'],
  redeliverSince: ['endpoint-1', '2026-11-20T12:00:00.000Z'],
  redeliverEvent: ['endpoint-1', 'event-1'],
  rotateWebhookSecret: ['endpoint-1'],
  deleteWebhookEndpoint: ['endpoint-1'],
  setOAuthClient: ['app-1', 'hubspot', NAME],
  deleteOAuthClient: ['6sense'],
};

test.each(Object.keys(ARGUMENTS) as (keyof typeof same)[])(
  '%s is shown as a mutation of the schema, or as a command that exists',
  (name) => {
    const text = (same[name] as (...given: unknown[]) => string)(...ARGUMENTS[name]);
    if (text.startsWith('crossbook ')) {
      const [, group, verb] = text.split(' ');
      expect(commands).toContain(`\`${group} ${verb} `);
    } else {
      expect(validate(schema, parse(text))).toEqual([]);
    }
  },
);

test('a name is one word of a shell', () => {
  expect(same.createApplication("Ada's $HOME")).toBe(`crossbook apps create 'Ada'\\''s $HOME'`);
});
