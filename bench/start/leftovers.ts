import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses } from './memory.ts';

/** Fails if a start has left a process, a socket or a file outside of its data directory. */
export async function requireNothingLeft(dataDirectory: string): Promise<void> {
  let left: readonly string[] = [];
  // A server needs a moment to shut down.
  for (let attempt = 0; attempt < 50; attempt += 1) {
    left = [
      ...listLeftProcesses(dataDirectory),
      ...listLeftSockets(dataDirectory),
      ...listNewFiles(),
    ];
    if (left.length === 0) return;
    await sleep(100);
  }
  throw new Error(`After the start in ${dataDirectory} there are left:\n${left.join('\n')}`);
}

function listLeftProcesses(dataDirectory: string): readonly string[] {
  return listProcesses()
    .filter(({ pid, command }) => pid !== process.pid && command.includes(dataDirectory))
    .map(({ pid, command }) => `process ${pid}: ${command}`);
}

function listLeftSockets(dataDirectory: string): readonly string[] {
  try {
    const sockets = readFileSync('/proc/net/unix', 'utf8').split('\n');
    return sockets.filter((line) => line.includes(dataDirectory)).map((line) => `socket ${line}`);
  } catch {
    return [];
  }
}

/**
 * Our files in the temporary directory, and where the server's data go when its user cannot access the directory.
 */
function listNewFiles(): readonly string[] {
  return listFiles().filter((file) => !BEFORE.has(file));
}

function listFiles(): readonly string[] {
  return PLACES.flatMap(({ folder, names }) => {
    try {
      const found = readdirSync(folder).filter((name) => names.test(name));
      return found.map((name) => `file ${folder}/${name}`);
    } catch {
      return [];
    }
  });
}

const PLACES = [
  { folder: tmpdir(), names: /^crossbook-socket-/ },
  { folder: '/var/lib/crossbook', names: /./ },
];
const BEFORE = new Set(listFiles());
