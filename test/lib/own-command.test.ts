import { expect, test } from 'vitest';
import { toOwnCommand } from '../../src/lib/own-command.ts';

const started = (script: string, env: Record<string, string> = {}, args: string[] = []) => ({
  argv: ['node', script, ...args],
  env,
  cwd: () => '/srv',
});

test('a command is printed as it can be pasted, by the way in which the process was started', () => {
  const npm = started('/srv/dist/main.js', { npm_package_name: 'crossbook' });
  expect(toOwnCommand('doctor', npm)).toBe('npm run -s crossbook -- doctor');
  const installed = started('/srv/node_modules/crossbook/dist/main.js');
  expect(toOwnCommand('doctor', installed)).toBe('npx crossbook doctor');
});

test('a path outside of the current folder is not printed', () => {
  expect(toOwnCommand('doctor', started('/opt/crossbook/dist/main.js'))).toBe('crossbook doctor');
});

test('a command has the settings file of the process, so that it uses the same database', () => {
  const withFile = (...args: string[]) =>
    toOwnCommand('doctor', started('/srv/node_modules/crossbook/dist/main.js', {}, args));
  expect(withFile('--env-file', 'production.env', 'apps', 'create', 'A')).toBe(
    'npx crossbook --env-file production.env doctor',
  );
  expect(withFile('--env-file=/srv/production.env')).toBe(
    'npx crossbook --env-file production.env doctor',
  );
  expect(withFile('--env-file', "our settings/it's.env")).toBe(
    "npx crossbook --env-file 'our settings/it'\\''s.env' doctor",
  );
  expect(withFile('--env-file', '/etc/crossbook.env')).toBe('npx crossbook --env-file FILE doctor');
});
