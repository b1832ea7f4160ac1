import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXAMPLE_APP, GATEWAY_EXAMPLE } from '../support/machine.ts';
import { isAlive, listDescendants } from '../support/processes.ts';
import '../support/process-sources.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const FREE = { API_PORT: '0', SANDBOX_PORT: '0', APP_PORT: '0', TICKETS_PORT: '0', PORT: '0' };

describe.each([
  ['app', EXAMPLE_APP],
  ['gateway', GATEWAY_EXAMPLE],
])('The example %s', (name, isInstalled) => {
  test.skipIf(!isInstalled)(
    'ends without leftovers at a signal that arrives before Crossbook is ready',
    async () => {
      const folder = makeTemporaryFolder();
      const child = spawn(process.execPath, [`examples/${name}/start.mjs`], {
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: folder, ...FREE },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
      await expect.poll(() => listDatabases(folder), { interval: 5 }).toHaveLength(1);
      const started = [child.pid ?? 0, ...listDescendants(child.pid ?? 0)];
      child.kill('SIGTERM');
      expect(await once(child, 'close')).toEqual([0, null]);
      expect(started.length).toBeGreaterThan(1);
      await expect.poll(() => started.filter(isAlive)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
      expect(printed).toBe('');
      rmSync(folder, { recursive: true });
    },
  );
});

/** Crossbook's first step is to create the directory of its database. */
function listDatabases(folder: string): string[] {
  return readdirSync(folder)
    .filter((one) => one.startsWith('crossbook-example-'))
    .flatMap((one) => readdirSync(join(folder, one)).filter((own) => own === 'data'));
}
