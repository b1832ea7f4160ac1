import { expect, test } from 'vitest';
import { useInstallation } from '../support/run-cli.ts';

const { run } = useInstallation();

test('own fields are set from standard input, and listed in the form in which they are set', async () => {
  expect((await run('fields list Acme')).stdout).toBe('There are no own fields.\n');
  const field = {
    name: 'color',
    type: 'TEXT',
    sources: [{ providerName: 'hubspot', field: 'favorite_color' }],
  };
  const set = await run('fields set Acme', JSON.stringify({ fields: [field] }));
  expect([set.code, set.stdout]).toEqual([0, 'Acme has 1 own fields, version 1.\n']);
  expect((await run('fields list Acme')).stdout).toBe('color  TEXT  hubspot:favorite_color\n');
  const { stdout, json } = await run('fields list Acme --json');
  expect(json()).toEqual({
    version: 1,
    fields: [{ ...field, description: null, customersMayMap: true }],
  });
  const again = await run('fields set Acme --expected-version 1', stdout);
  expect(again.stdout).toBe('Acme has 1 own fields, version 2.\n');
});

test.each([
  ['fields set Acme', 'nonsense', 2, 'is not JSON with a list of "fields"'],
  ['fields set Acme', '{"fields":[{"name":1}]}', 2, 'fields[0] is not an own field'],
  ['fields set Acme', '{"fields":[{"name":"a","type":"TEXT","x":1}]}', 2, 'fields[0] is not'],
  ['fields set Acme', '{"fields":[{"name":"firstName","type":"TEXT"}]}', 1, 'is reserved'],
  ['fields set Acme --expected-version 9', '{"fields":[]}', 1, 'Version 9 of the own fields'],
  ['fields set Acme --expected-version x', '{"fields":[]}', 2, 'takes a whole number'],
  ['fields set Nobody', '{"fields":[]}', 1, 'There is no application'],
])('%s, given %s, ends with %i', async (line, input, code, words) => {
  const ended = await run(line, input);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toContain(words);
});
