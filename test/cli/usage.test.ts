import { describe, expect, test } from 'vitest';
import { readOrigin } from '../../src/cli/commands/applications.ts';
import { COMMANDS } from '../../src/cli/run.ts';
import { runCli } from '../support/run-cli.ts';

const names = COMMANDS.map(({ name }) => name);

describe('help', () => {
  test('names every command', async () => {
    for (const args of [['--help'], ['-h'], ['help']]) {
      const { code, stdout } = await runCli(args);
      expect(code).toBe(0);
      for (const name of ['serve', ...names]) expect(stdout).toContain(`  ${name}`);
    }
  });

  test.each(COMMANDS)('for $name prints its arguments, and changes nothing', async (command) => {
    const { code, stdout, stderr } = await runCli([...command.name.split(' '), '--help'], {
      env: { PORT: 'no number' },
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: crossbook ${command.name}`);
    expect(stdout).toContain(command.summary);
    for (const { name, description } of command.operands ?? []) {
      expect(stdout).toMatch(new RegExp(`  ${name} +${description.slice(0, 10)}`));
    }
    for (const name of Object.keys(command.options ?? {})) expect(stdout).toContain(`--${name}`);
  });

  test('for a group of commands lists them', async () => {
    const { code, stdout } = await runCli(['keys', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('keys rotate');
    expect(stdout).not.toContain('apps create');
  });
});

describe('a wrong usage ends with exit code 2 and an error message, and does nothing', () => {
  test.each([
    [['keys', 'nonsense'], 'Unknown command: keys nonsense'],
    [['keys'], 'Missing: a subcommand of keys'],
    [['seal', '--json'], 'Missing: a subcommand of seal'],
    [['keys', 'create'], 'Missing: APPLICATION'],
    [['apps', 'list', '--env-file', 'production.env'], '--env-file comes before the command'],
    [['apps', 'list', '--env-file=production.env'], '--env-file comes before the command'],
    [['customers', 'delete', 'acme'], 'Missing: CUSTOMER'],
    [['customers', 'delete', 'acme', 'ada'], 'Add --yes'],
    [['apps', 'list', 'more'], 'Unexpected argument: more'],
    [['apps', 'list', '--nonsense'], '--nonsense'],
    [['apps', 'create', 'Acme', '--origin'], '--origin'],
    [['apps', 'create', 'Acme', '--origin', '*'], 'Not a web origin: *'],
    [['keys', 'rotate', 'id', '--overlap', 'soon'], '--overlap takes a whole number'],
  ])('%j', async (args, why) => {
    const { code, stdout, stderr } = await runCli(args, { env: { PORT: 'no number' } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
    expect(stderr).toContain('Usage: crossbook');
  });

  test('an unknown command does not print all of them', async () => {
    const { code, stderr } = await runCli(['nonsense']);
    expect(code).toBe(2);
    expect(stderr).toBe('Unknown command: nonsense\n`crossbook --help` lists all commands.\n');
  });
});

test('a backup into a folder that does not exist names the folder as it was typed', async () => {
  const { code, stderr } = await runCli(['backup', '/nowhere/rows.gz']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/ENOENT.*'\/nowhere'\n$/)]);
});

test('an invalid setting ends with exit code 1 and names it', async () => {
  const { code, stdout, stderr } = await runCli(['apps', 'list'], { env: { PORT: 'no number' } });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('PORT: must be a whole number');
});

test('an origin must be exactly as a browser sends it', () => {
  expect(readOrigin('https://app.example')).toBe('https://app.example');
  expect(readOrigin('https://App.Example/')).toBe('https://app.example');
  expect(readOrigin('http://localhost:5173')).toBe('http://localhost:5173');
  for (const wrong of [
    '',
    'null',
    '*',
    'app.example',
    'https://*.example',
    'https://a.example/path',
    'ftp://a.example',
    'https://u:p@a.example',
  ]) {
    expect(() => readOrigin(wrong), wrong).toThrow('Not a web origin');
  }
});
