import { readdirSync, readFileSync } from 'node:fs';

/** All descendants of that process. */
export function listDescendants(pid: number): readonly number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: readStat(Number(name))?.parent }));
  const below = (one: number): readonly number[] =>
    all.filter(({ parent }) => parent === one).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(pid);
}

/** A zombie process does not count. */
export function isAlive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== 'Z';
}

function readStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
