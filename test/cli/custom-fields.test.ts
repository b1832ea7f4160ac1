import { buildSchema, findBreakingChanges } from 'graphql';
import { expect, test } from 'vitest';
import { useInstallation } from '../support/run-cli.ts';

const { run } = useInstallation();

test('custom fields are set from standard input, and listed in the form in which they are set', async () => {
  expect((await run('custom-fields list Acme')).stdout).toBe('There are no custom fields.\n');
  const field = {
    name: 'color',
    type: 'TEXT',
    sources: [{ provider: 'hubspot', field: 'favorite_color' }],
  };
  // The provider is taken in upper case as well.
  const given = { ...field, sources: [{ provider: 'HUBSPOT', field: 'favorite_color' }] };
  const set = await run('custom-fields set Acme', JSON.stringify({ definitions: [given] }));
  expect([set.code, set.stdout]).toEqual([0, 'Acme has 1 custom fields of contacts, version 1.\n']);
  expect((await run('custom-fields list Acme')).stdout).toBe(
    'color  TEXT  hubspot:favorite_color\n',
  );
  const { stdout, json } = await run('custom-fields list Acme --json');
  expect(json()).toEqual({
    record: 'CONTACT',
    version: 1,
    definitions: [{ ...field, description: null, customersMayMap: true }],
    typedSchema: false,
  });
  const again = await run('custom-fields set Acme --expected-version 1', stdout);
  expect(again.stdout).toBe('Acme has 1 custom fields of contacts, version 2.\n');
});

test.each(['custom-fields set Acme', 'sync-configurations set Acme hubspot'])(
  '%s accepts the example of its help',
  async (line) => {
    const [, sample = ''] = /For example: (.+)/.exec((await run(`${line} --help`)).stdout) ?? [];
    const { code, stderr } = await run(line, sample);
    expect([code, stderr]).toEqual([0, '']);
  },
);

test.each([
  [
    'custom-fields set Acme',
    'nonsense',
    2,
    'is not JSON with a list of "definitions", such as {"definitions":[',
  ],
  [
    'custom-fields set Acme',
    '{"definitions":[],"typedSchema":1}',
    2,
    '"typedSchema" must be true or false',
  ],
  [
    'custom-fields set Acme',
    '{"definitions":[{"name":"a","type":"TEXT","sources":[{"provider":"hub","field":"x"}]}]}',
    1,
    '"hub" is not a provider; the providers are salesforce, hubspot, ',
  ],
  [
    'custom-fields set Acme',
    '{"definitions":[{"name":1}]}',
    2,
    'definitions[0] is not a custom field',
  ],
  [
    'custom-fields set Acme',
    '{"definitions":[{"name":"a","type":"TEXT","x":1}]}',
    2,
    'definitions[0] is not',
  ],
  [
    'custom-fields set Acme',
    '{"definitions":[{"name":"firstName","type":"TEXT"}]}',
    1,
    'is reserved',
  ],
  [
    'custom-fields set Acme --expected-version 9',
    '{"definitions":[]}',
    1,
    'Version 9 of the custom fields',
  ],
  ['custom-fields set Acme --expected-version x', '{"definitions":[]}', 2, 'takes a whole number'],
  ['custom-fields set Nobody', '{"definitions":[]}', 1, 'There is no application'],
])('%s, given %s, ends with %i', async (line, input, code, words) => {
  const ended = await run(line, input);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toContain(words);
});

test('the schema of an application is printed with its typed custom fields, for clients and for gateways', async () => {
  const common = await run('schema print');
  const field = { name: 'bornOn', type: 'DATE', description: 'The day of birth.' };
  const set = (typedSchema: boolean) =>
    run('custom-fields set Acme', JSON.stringify({ definitions: [field], typedSchema }));
  await set(false);
  const untyped = await run('schema print --application Acme');
  expect([untyped.code, untyped.stdout]).toEqual([0, common.stdout]);
  expect(untyped.stderr).toBe(
    'Acme has the common schema: its custom fields were not set with "typedSchema": true.\n',
  );
  await set(true);
  expect((await run('custom-fields list Acme')).stdout).toContain('The schema is typed.');
  const typed = await run('schema print --application Acme');
  expect([typed.code, typed.stderr]).toEqual([0, '']);
  const words = [
    'type ContactCustomFields {',
    '"""The day of birth."""',
    'bornOn: Date',
    'scalar Date',
  ];
  for (const text of words) expect(typed.stdout).toContain(text);
  const changes = findBreakingChanges(buildSchema(common.stdout), buildSchema(typed.stdout));
  expect(changes).toEqual([]);
  const { json } = await run('schema print --application Acme --subgraph --json');
  expect(json().sdl).toMatch(/custom: ContactCustomFields![\s\S]*bornOn: Date/);
  expect(json().sdl).toContain('extend schema @link');
  const nobody = await run('schema print --application Nobody');
  expect([nobody.code, nobody.stdout]).toEqual([1, '']);
  expect(nobody.stderr).toContain('There is no application');
});
