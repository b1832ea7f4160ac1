import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Starts this repository's Crossbook over its sandbox, with data that go with it. In production it runs elsewhere: all that
 * the backend needs of it are its URL and an API key.
 * @param {{ root: string, apiPort: string, sandboxPort: string }} options
 */
export async function startCrossbook({ root, apiPort, sandboxPort }) {
  const data = mkdtempSync(join(tmpdir(), 'crossbook-app-'));
  // Started by root, the embedded database runs as a user of its own, who passes through.
  chmodSync(data, 0o711);
  const { PATH, HOME } = process.env;
  // It stops by itself when the process of that id, its parent, is killed.
  const env = { PATH, HOME, PORT: apiPort, CROSSBOOK_SANDBOX_PORT: sandboxPort, CROSSBOOK_DATA: data };
  const child = spawn('dist/crossbook', {
    ...{ cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { ...env, LOG_LEVEL: 'error', NPM_PID: String(process.pid) },
  });
  const ended = once(child, 'close').then(() => rmSync(data, { recursive: true, force: true }));
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  try {
    const printed = await readUntilReady(child);
    return {
      url: find(printed, /ready at (\S+)/),
      apiKey: find(printed, /API key +(\S+)/),
      sandbox: {
        HUBSPOT: find(printed, /Sandbox +(\S+) \(HubSpot\)/),
        SALESFORCE: find(printed, /(\S+) \(Salesforce\)/),
      },
      /** @param {string[]} args */
      command: (...args) => execFileSync('dist/crossbook', args, { cwd: root, env }),
      ended,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>}
 */
function readUntilReady(child) {
  let printed = '';
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text) => {
        printed += text;
        if (/curl[\s\S]*-d '.*'\n/.test(printed)) resolve(printed);
      });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`Crossbook did not start:\n${printed}`)));
  });
}

/**
 * @param {string} printed
 * @param {RegExp} pattern
 */
function find(printed, pattern) {
  const [, found] = pattern.exec(printed) ?? [];
  if (found === undefined) throw new Error(`Crossbook’s start does not say ${pattern}:\n${printed}`);
  return found;
}
