import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  ['mapping-links create Acme ada zoho --return-url https://a.example', 2, 'Not a provider'],
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
