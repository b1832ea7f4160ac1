import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * The current or peak resident memory of a process, including shared pages. NaN where the system does not report
 * it.
 */
export function readMemoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  return readMb(`/proc/${pid}/status`, field);
}

/** The resident memory of a process: at the start, at its peak under load, and now. */
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

/** The proportional memory (PSS) of all descendants of a process. */
export function readDescendantsMb(pid: number): number {
  const pids = listDescendants(pid);
  return pids.reduce((sum, one) => sum + (readMb(`/proc/${one}/smaps_rollup`, 'Pss') || 0), 0);
}

export function listDescendants(pid: number): readonly number[] {
  const children = listProcesses().filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child.pid, ...listDescendants(child.pid)]);
}

/** Processes that exit while the list is made are left out. */
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
