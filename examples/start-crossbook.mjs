import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Starts this repository's Crossbook with its sandbox, and deletes its data at the end. In production it runs elsewhere: an application or a gateway needs only its URL and an API key.
 * @param {{ apiPort: string, sandboxPort: string, settings?: Readonly<Record<string, string | undefined>> }} options
 */
export function startCrossbook({ apiPort, sandboxPort, settings = {} }) {
  const data = mkdtempSync(join(tmpdir(), 'crossbook-example-'));
  // If started by root, the embedded database runs as another user, who needs access.
  chmodSync(data, 0o711);
  const { PATH, HOME } = process.env;
  const env = {
    ...settings,
    PATH,
    HOME,
    PORT: apiPort,
    CROSSBOOK_SANDBOX_PORT: sandboxPort,
    CROSSBOOK_DATA: data,
  };
  const child = spawn('dist/crossbook', {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    // It stops when the process of that id, its parent, is killed.
    env: { ...env, LOG_LEVEL: 'error', NPM_PID: String(process.pid) },
  });
  const ended = once(child, 'close').then(() => remove(data));
  return {
    /** Stays pending if Crossbook exits first; `ended` reports that, with its standard error. */
    ready: readWelcome(child),
    /** @param {string[]} args */
    command: (...args) =>
      execFileSync('dist/crossbook', args, { cwd: root, env, encoding: 'utf8' }),
    ended,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/**
 * Calls `end` at each signal, and when the npm that has started this process is gone: killed, it forwards no signal.
 * @param {() => unknown} end
 */
export function onEnd(end) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
  const { NPM_PID } = process.env;
  const timer = setInterval(() => {
    if (NPM_PID === undefined || process.ppid === Number(NPM_PID)) return;
    clearInterval(timer);
    end();
  }, 1_000).unref();
}

/**
 * The database of an interrupted start may still be writing, so deletion is retried.
 * @param {string} folder
 */
async function remove(folder) {
  for (let tries = 1; ; tries++) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (tries === 100) throw error;
      await wait(100);
    }
  }
}

/** @param {import('node:child_process').ChildProcess} child */
async function readWelcome({ stdout }) {
  let printed = '';
  await new Promise((resolve) => {
    stdout?.on('data', (text) => {
      printed += text;
      if (/curl[\s\S]*-d '.*'\n/.test(printed)) resolve(undefined);
    });
  });
  /** @param {RegExp} pattern */
  const find = (pattern) => {
    const [, found] = pattern.exec(printed) ?? [];
    if (found === undefined)
      throw new Error(`Crossbook’s start does not say ${pattern}:\n${printed}`);
    return found;
  };
  return {
    url: find(/ready at (\S+)/),
    apiKey: find(/API key +(\S+)/),
    sandbox: {
      HUBSPOT: find(/Sandbox +(\S+) \(HubSpot\)/),
      SALESFORCE: find(/(\S+) \(Salesforce\)/),
    },
  };
}
