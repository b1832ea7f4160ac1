import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { makePng } from '../support/png.ts';
import { useInstallation } from '../support/run-cli.ts';

const { run, findRoot } = useInstallation();

test('branding is set, changed in parts, shown and cleared', async () => {
  const logo = join(findRoot(), 'logo.png');
  writeFileSync(logo, makePng());
  expect((await run('branding show Acme')).stdout).toContain('Acme (the name of the application)');
  const set = await run(
    `branding set Acme --display-name Ours --accent-color #0f766e --logo ${logo}`,
  );
  expect([set.code, set.stderr]).toEqual([0, '']);
  expect(set.stdout).toMatch(/Name +Ours\nColor +#0f766e\nLogo +\d+ bytes\n/);
  const { json } = await run('branding set Acme --clear logo --json');
  expect(json()).toMatchObject({ displayName: 'Ours', accentColor: '#0f766e', logo: null });
});

test.each([
  ['branding set Acme --accent-color #777b82', 1, 'choose a darker or a lighter color'],
  ['branding set Acme --clear everything', 2, '--clear takes one of display-name'],
  ['branding set Acme --logo /nowhere.png', 1, 'no such file'],
  ['branding show Nobody', 1, 'There is no application'],
])('%s ends with %i', async (line, code, words) => {
  const ended = await run(line);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toContain(words);
});

test.each([
  ['mapping-links create Acme ada hubspot', 2, 'Missing: --return-url'],
  ['customers create Acme ada', 2, 'Missing: --email'],
  [
    'customers create Acme ada --email nobody',
    1,
    'The email must be an address such as ada@example.com',
  ],
  ['connect-links create Acme ada --provider hubspot', 2, 'Missing: --return-url'],
  ['connect-links create Acme ada --return-url https://a.example', 2, 'Missing: --provider'],
  [
    'connect-links create Acme ada --provider hubspot --return-url https://a.example',
    1,
    'its origin https://a.example is not registered',
  ],
  ['mapping-links create Acme ada zoho --return-url https://a.example', 2, 'is not a provider'],
  [
    'mapping-links create Acme ada hubspot --return-url https://a.example',
    1,
    'The customer "ada" does not exist, or has no connection to HubSpot.',
  ],
])('%s ends with %i', async (line, code, words) => {
  const ended = await run(line);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toContain(words);
});

test('a customer is created once, and gets a link to connect a CRM', async () => {
  await run('apps origins Acme --add https://app.example');
  const created = await run('customers create Acme globex --email it@globex.example --name Globex');
  expect([created.code, created.stdout]).toEqual([0, 'globex is a customer of Acme.\n']);
  const again = await run('customers create Acme globex --email it@globex.example');
  expect([again.code, again.stdout, again.stderr]).toEqual([
    1,
    '',
    'Acme already has the customer "globex", which is unchanged.\n',
  ]);
  const link = await run(
    'connect-links create Acme globex --provider HUBSPOT --provider salesforce --return-url https://app.example/done --json',
  );
  expect([link.code, link.stderr]).toEqual([0, expect.stringMatching(/^It expires at /)]);
  expect(link.json().url).toMatch(/^http:\/\/localhost:4000\/connect\//);
});

test('a link asks for records and for writing, and a token may write, where the options say so', async () => {
  await run('apps origins Acme --add https://app.example');
  await run('customers create Acme initech --email it@initech.example');
  const create = (options: string) =>
    run(
      `connect-links create Acme initech --provider hubspot --return-url https://app.example/ --json${options}`,
    );
  for (const [options, records, access] of [
    ['', ['CONTACT'], 'READ'],
    [' --record company --record DEAL', ['COMPANY', 'DEAL'], 'READ'],
    [' --record contact --read-write', ['CONTACT'], 'READ_WRITE'],
  ] as const) {
    expect((await create(options)).json()).toMatchObject({ records, access });
  }
  const unknown = await create(' --record ticket');
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('Unknown type of record: ticket. Known: contact, company, deal'),
  ]);
  for (const [options, expected] of [
    ['', undefined],
    [' --can-write', true],
  ] as const) {
    const issued = await run(`tokens create Acme initech --json${options}`);
    expect(decodeJwt(issued.json().token)['canWrite']).toBe(expected);
  }
});
