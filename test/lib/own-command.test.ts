import { expect, test } from 'vitest';
import { toOwnCommand } from '../../src/lib/own-command.ts';

const started = (script: string, env: Record<string, string> = {}) => ({
  argv: ['node', script],
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
