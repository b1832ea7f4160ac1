import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { toTable } from '../report/throughput-table.ts';
import { readMemoryMb } from '../start/memory.ts';
import type { Options } from '../support/options.ts';
import { FLAGS_OF_ALL } from '../support/process.ts';
import { say, showProgress } from '../support/progress.ts';
import { openStage } from '../throughput/stage.ts';
import { CASES } from '../workload/cases.ts';
import { measureCase } from './throughput.ts';

/**
 * What the engine's flags cost in memory and bring in throughput: for each set of them the floor, Mercurius and Crossbook in
 * one run, and Crossbook's resident memory. `flags 16 64-reducer`: only those rows.
 */
export async function measureFlags(options: Options): Promise<void> {
  const { rest, quick } = options;
  const rows: string[][] = [];
  for (const set of SETS.filter(({ name }) => rest.length === 0 || rest.includes(name))) {
    const idleSeconds = quick ? 2 : 60;
    rows.push([set.name, ...(await measureSet(toFlags(set), { ...options, only: PLAYERS, idleSeconds }))]);
    say(toTable([...HEADERS, `${idleSeconds} s after, MB`], rows));
  }
}

async function measureSet(engineFlags: readonly string[], options: FlagOptions): Promise<readonly string[]> {
  const stage = await openStage({ ...options, engineFlags });
  try {
    const pid = stage.players.find(({ name }) => name === 'crossbook')?.process.pid ?? 0;
    const startMb = readMemoryMb(pid, 'VmRSS');
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    const shares: string[] = [];
    for (const one of MEASURED) {
      const { rows } = await measureCase(stage, one, options);
      for (const name of ['crossbook', 'mercurius'])
        shares.push((rows.find((row) => row.name === name)?.ratio.median ?? Number.NaN).toFixed(2));
    }
    const peakMb = readMemoryMb(pid, 'VmHWM');
    showProgress(`${engineFlags.join(' ')}: quiet`);
    await sleep(options.idleSeconds * 1_000);
    const memory = [startMb, peakMb, readMemoryMb(pid, 'VmRSS')];
    return [...shares, ...memory.map((mb) => mb.toFixed(0))];
  } finally {
    await stage.close();
  }
}

/** Those that a row is not about stay as they ship. */
function toFlags({ semiSpaceMb, reducer, growth }: FlagSet): readonly string[] {
  const others = FLAGS_OF_ALL.filter((flag) => !/semi-space|memory-reducer|heap-growing/.test(flag));
  return [
    ...others,
    `--max-semi-space-size=${semiSpaceMb}`,
    ...(reducer ? [] : ['--no-memory-reducer']),
    ...(growth ? ['--heap-growing-percent=100'] : []),
  ];
}

/** The size of the semi-space in MB; whether the memory reducer runs; whether the heap may double. */
const SETS: readonly FlagSet[] = [
  ...[8, 16, 32, 64].flatMap((semiSpaceMb) => [
    { name: `${semiSpaceMb}`, semiSpaceMb, reducer: false, growth: true },
    { name: `${semiSpaceMb}-reducer`, semiSpaceMb, reducer: true, growth: true },
  ]),
  { name: '64-small-steps', semiSpaceMb: 64, reducer: false, growth: false },
  { name: '16-reducer-small-steps', semiSpaceMb: 16, reducer: true, growth: false },
];

const PLAYERS = ['floor', 'crossbook', 'mercurius'];
const MEASURED = CASES.filter(({ name }) => ['1', '100', '1000'].includes(name));
const HEADERS = [
  'semi-space, MB',
  ...MEASURED.flatMap(({ title }) => [`Crossbook, ${title}`, `Mercurius, ${title}`]),
  ...['at start, MB', 'at most, MB'],
];

interface FlagSet {
  readonly name: string;
  readonly semiSpaceMb: number;
  readonly reducer: boolean;
  readonly growth: boolean;
}

interface FlagOptions extends Options {
  readonly idleSeconds: number;
}
