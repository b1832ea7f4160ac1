import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** What a process has in memory, or has had at most, whoever else shares it. NaN where the system does not tell. */
export function readMemoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return readMb(`/proc/${pid}/status`, field);
}

/** What a process has resident: at the start, at most under load, and when it is read. */
export function watchMemory(pid: number) {
  const startMb = readMemoryMb(pid, 'VmRSS');
  let peakMb = startMb;
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return {
    notePeak() {
      peakMb = readMemoryMb(pid, 'VmHWM');
    },
    read: (): ResidentMemory => ({ startMb, peakMb, nowMb: readMemoryMb(pid, 'VmRSS') }),
  };
}

/** What the processes below that one have in memory, each with its share of what several use. */
export function readDescendantsMb(pid: number): number {
  const pids = listDescendants(pid);
  return pids.reduce((sum, one) => sum + (readMb(`/proc/${one}/smaps_rollup`, 'Pss') || 0), 0);
}

export function listDescendants(pid: number): readonly number[] {
  const children = listProcesses().filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child.pid, ...listDescendants(child.pid)]);
}

/** Processes that are ending while the list is made are left out. */
export function listProcesses(): readonly RunningProcess[] {
  return readOrNothing(() => readdirSync('/proc'), [])
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) =>
      readOrNothing(() => {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), command }];
      }, []),
    );
}

function readMb(path: string, field: string): number {
  const text = readOrNothing(() => readFileSync(path, 'utf8'), '');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1_024;
}

function readOrNothing<Value>(read: () => Value, nothing: Value): Value {
  try {
    return read();
  } catch {
    return nothing;
  }
}

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

export interface ResidentMemory {
  readonly startMb: number;
  readonly peakMb: number;
  readonly nowMb: number;
}
