import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The address of this process, on the bridge that connects the hosts. */
const BRIDGE = { name: 'hosts', address: '10.0.0.1/24' };

/** Connects hosts, each of which is a network namespace. */
export function openNetwork(): void {
  mkdirSync('/run/netns', { recursive: true });
  run('mount', '-t', 'tmpfs', 'tmpfs', '/run/netns');
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'link', 'add', BRIDGE.name, 'type', 'bridge');
  run('ip', 'address', 'add', BRIDGE.address, 'dev', BRIDGE.name);
  run('ip', 'link', 'set', BRIDGE.name, 'up');
}

/** A host with folders of its own in place of those that the files of `ops/cluster` name. */
export function openHost(name: string, address: string, root: string): Host {
  const folder = join(root, name);
  mkdirSync(folder);
  run('cp', '-a', '/etc', join(folder, 'etc'));
  run('chown', 'redis', join(folder, 'etc/redis'));
  const mounts = [`mount --bind ${join(folder, 'etc')} /etc`];
  for (const [path, user] of Object.entries(FOLDERS)) {
    const own = join(folder, path);
    mkdirSync(own, { recursive: true });
    run('chown', user, own);
    mounts.push(`mount --bind ${own} ${path}`);
  }
  const link = `to-${name}`;
  run('ip', 'netns', 'add', name);
  run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
  run('ip', 'link', 'set', link, 'master', BRIDGE.name, 'up');
  run('ip', '-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0');
  run('ip', '-n', name, 'link', 'set', 'eth0', 'up');
  run('ip', '-n', name, 'link', 'set', 'lo', 'up');
  const inHost = (script: string) =>
    ['netns', 'exec', name, 'sh', '-ec', `${mounts.join('\n')}\n${script}`] as const;
  return {
    name,
    address,
    run: (script) => execFileSync('ip', inHost(script), { encoding: 'utf8' }),
    start(part, script) {
      const log = openSync(join(folder, `${part}.log`), 'a');
      const child = spawn('ip', inHost(script), { stdio: ['ignore', log, log] });
      closeSync(log);
      return child;
    },
    readLog: (part) => readFileSync(join(folder, `${part}.log`), 'utf8'),
    signal(pattern, signal) {
      for (const pid of listPids(name, pattern)) {
        try {
          process.kill(pid, signal);
        } catch {
          // It has just ended.
        }
      }
    },
    isRunning: (pattern) => listPids(name, pattern).length > 0,
    cut: () => run('ip', 'link', 'set', link, 'down'),
    mend: () => run('ip', 'link', 'set', link, 'up'),
  };
}

function listPids(name: string, pattern: RegExp): readonly number[] {
  const pids = execFileSync('ip', ['netns', 'pids', name], { encoding: 'utf8' });
  return pids
    .split('\n')
    .filter((pid) => pid !== '' && pattern.test(readCommand(pid)))
    .map(Number);
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** With their owners in Debian's packages. */
const FOLDERS = {
  '/var/lib/postgresql': 'postgres',
  '/var/lib/redis': 'redis',
  '/var/lib/etcd': 'etcd',
  '/var/log/redis': 'redis',
  '/var/run/postgresql': 'postgres',
};

export interface Host {
  readonly name: string;
  readonly address: string;
  /** Runs a script to its end, and returns what it printed. */
  run(script: string): string;
  start(part: string, script: string): ChildProcess;
  readLog(part: string): string;
  /** To the processes whose command line matches. */
  signal(pattern: RegExp, signal: NodeJS.Signals): void;
  isRunning(pattern: RegExp): boolean;
  /** Takes the link of the host down. */
  cut(): void;
  mend(): void;
}
