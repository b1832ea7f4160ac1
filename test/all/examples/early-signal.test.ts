import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { EXAMPLE_APP, GATEWAY_EXAMPLE } from '../../support/machine.ts';
import { isAlive, listDescendants } from '../../support/processes.ts';
import '../../support/process-sources.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const FREE = { API_PORT: '0', SANDBOX_PORT: '0', APP_PORT: '0', TICKETS_PORT: '0', PORT: '0' };

describe.each([
  {
    name: 'app',
    isInstalled: EXAMPLE_APP,
    file: 'examples/start-app.mjs',
    npmArgs: ['run', '--silent', 'example:app'],
  },
  {
    name: 'gateway',
    isInstalled: GATEWAY_EXAMPLE,
    file: 'examples/gateway/start.mjs',
    npmArgs: ['start', '--silent', '--prefix', 'examples/gateway'],
  },
])('The example $name', ({ isInstalled, file, npmArgs }) => {
  test.skipIf(!isInstalled)(
    'ends without leftovers at a signal that arrives before Crossbook is ready',
    async () => {
      const folder = makeTemporaryFolder();
      const child = spawn(process.execPath, [file], {
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: folder, ...FREE },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (part) => (printed += part));
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

  test.skipIf(!isInstalled)(
    'ends without leftovers when npm, which has started it, is terminated',
    async () => {
      const folder = makeTemporaryFolder();
      const npm = spawn('npm', npmArgs, {
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: folder, ...FREE },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      for await (const part of npm.stdout) {
        printed += part;
        if (printed.includes('Ctrl-C ends')) break;
      }
      const started = [npm.pid ?? 0, ...listDescendants(npm.pid ?? 0)];
      expect(started.length).toBeGreaterThan(3);
      npm.kill('SIGTERM');
      await expect.poll(() => started.filter(isAlive)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
      rmSync(folder, { recursive: true });
    },
  );
});

test.skipIf(!GATEWAY_EXAMPLE)(
  'a port in use ends the gateway example with one line, and no leftovers',
  async () => {
    const folder = makeTemporaryFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const child = spawn(process.execPath, ['examples/gateway/start.mjs'], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        TMPDIR: folder,
        ...FREE,
        PORT: String(port),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const complaints = text(child.stderr);
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(await complaints).toBe(
      `Port ${port} cannot be used (EADDRINUSE). Set PORT to another port.\n`,
    );
    expect(readdirSync(folder)).toEqual([]);
    other.close();
    rmSync(folder, { recursive: true });
  },
);

/** Crossbook's first step is to create the directory of its database. */
function listDatabases(folder: string): string[] {
  return readdirSync(folder)
    .filter((one) => one.startsWith('crossbook-example-'))
    .flatMap((one) => readdirSync(join(folder, one)).filter((own) => own === 'data'));
}
