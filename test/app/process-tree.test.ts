import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findFreePorts } from '../support/free-ports.ts';
import { isListening } from '../support/is-listening.ts';
import '../support/process-sources.ts';
import { isAlive, listDescendants } from '../support/processes.ts';
import { createSandboxControl } from '../support/sandbox-control.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const ROUNDS = Number(process.env['TEST_ROUNDS'] ?? 1);

/**
 * Which process gets the signal: npm alone (a supervisor), the whole process group (a terminal), or the product.
 */
const WAYS = [
  { way: 'SIGTERM to npm', signal: 'SIGTERM', to: 'npm' },
  { way: 'SIGTERM to all', signal: 'SIGTERM', to: 'group' },
  { way: 'Ctrl-C', signal: 'SIGINT', to: 'group' },
  { way: 'a terminal that is closed', signal: 'SIGHUP', to: 'group' },
  { way: 'SIGHUP to npm, which does not pass it on', signal: 'SIGHUP', to: 'npm' },
  { way: 'SIGHUP to the product', signal: 'SIGHUP', to: 'product' },
  { way: 'kill -9 of npm', signal: 'SIGKILL', to: 'npm' },
] as const;

describe.skipIf(process.platform !== 'linux')('npm start', () => {
  const data = makeTemporaryFolder();
  const started: ChildProcess[] = [];
  let ownPort: number;
  let sandboxPort: number;
  beforeAll(async () => {
    // No ephemeral ports: another process would get them as soon as they are free.
    [ownPort, sandboxPort] = [await findFreePorts(), await findFreePorts()];
  });
  afterEach(() => {
    for (const { pid = 0 } of started.splice(0)) endGroup(pid);
  });
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  test.each(WAYS)(
    `$way: accepted requests get responses, and no process is left, ${ROUNDS} times`,
    async ({ signal, to }) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { pid, port, ended, search } = await startByNpm();
        // npm's shell was replaced by the product (`exec`).
        const tree = [pid, ...listDescendants(pid)];
        const [, product = 0] = tree;
        // npm and the product, the guard, the server and its child processes.
        expect(tree.length).toBeGreaterThan(3);
        const sandbox = createSandboxControl(sandboxPort);
        await sandbox.liftLimits();
        await sandbox.fail({ kind: 'slow', delayMs: 500 }, { times: 10 });
        const answer = search();
        await expect.poll(async () => (await sandbox.calls()).length).toBeGreaterThan(0);
        process.kill({ npm: pid, group: -pid, product }[to], signal);
        expect(await (await answer).json()).toMatchObject({
          data: { searchContacts: { nodes: [{}] } },
        });
        await ended;
        await expect.poll(() => tree.filter(isAlive)).toEqual([]);
        for (const one of [port, sandboxPort, sandboxPort + 1])
          expect(await isListening(one)).toBe(false);
      }
    },
  );

  async function startByNpm() {
    const npm = spawn('npm', ['start', '--silent'], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        PORT: String(ownPort),
        CROSSBOOK_DATA: data,
        CROSSBOOK_SANDBOX_PORT: String(sandboxPort),
      },
      // A process group of its own, like a shell gives to each job.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(npm);
    const ended = once(npm, 'exit');
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      npm.once('exit', () => reject(new Error(`It did not start:\n${printed}`)));
      npm.stdout?.on('data', (text: Buffer) => {
        printed += text;
        if (/-d '.*'\n/.test(printed)) resolve();
      });
    });
    const url = /ready at (\S+)/.exec(printed)?.[1]?.replace('localhost', '127.0.0.1') ?? '';
    const search = () =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': /cbk_demo_[\w-]{43}/.exec(printed)?.[0] ?? '',
          'x-customer-id': 'demo',
          'x-provider-name': 'hubspot',
        },
        body: JSON.stringify({ query: SEARCH }),
      });
    return { pid: npm.pid ?? 0, port: Number(new URL(url).port), ended, search };
  }
});

/** Processes that outlived npm are in its group. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone, as it should be.
  }
}

const SEARCH = '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { firstName } } }';
