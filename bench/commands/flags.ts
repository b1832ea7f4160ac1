import { setTimeout as sleep } from 'node:timers/promises';
import { toTable } from '../report/throughput-table.ts';
import { type ResidentMemory, watchMemory } from '../start/memory.ts';
import type { Options } from '../support/options.ts';
import { FLAGS_OF_ALL } from '../support/process.ts';
import { say, showProgress } from '../support/progress.ts';
import { openStage, type Variant } from '../throughput/stage.ts';
import { CASES } from '../workload/cases.ts';
import { type CaseResult, measureCase } from './throughput.ts';

/**
 * What V8 flags cost in memory and gain in throughput: Crossbook once with each set of them, with the floor and
 * Mercurius in one run. `flags 16 64-reducer`: only those sets, beside the shipped one.
 */
export async function measureFlags(options: Options): Promise<void> {
  const { rest, quick } = options;
  const variants = SETS.filter(({ name }) => rest.length === 0 || rest.includes(name)).map(
    toVariant,
  );
  const stage = await openStage({ ...options, only: BESIDE, variants });
  try {
    const memory = new Map(
      stage.players.map((player) => [player.name, watchMemory(player.process.pid)]),
    );
    const cases: CaseResult[] = [];
    for (const one of MEASURED) cases.push(await measureCase(stage, one, options));
    for (const one of memory.values()) one.notePeak();
    const idleSeconds = quick ? 2 : 60;
    showProgress(`${idleSeconds} s of quiet`);
    await sleep(idleSeconds * 1_000);
    const rows = stage.players.map(({ name, title }) => [
      title,
      ...cases.map(({ rows: of }) =>
        (of.find((row) => row.name === name)?.cpuRatio.median ?? Number.NaN).toFixed(2),
      ),
      ...toMegabytes(memory.get(name)?.read()),
    ]);
    const heads = [...MEASURED.map(({ title }) => title), 'at start, MB', 'at most, MB'];
    say(
      toTable(
        ['share of the floor by processor time', ...heads, `${idleSeconds} s after, MB`],
        rows,
      ),
    );
  } finally {
    await stage.close();
  }
}

function toMegabytes(memory: ResidentMemory | undefined): string[] {
  return memory ? [memory.startMb, memory.peakMb, memory.nowMb].map((mb) => mb.toFixed(0)) : [];
}

/** Flags that a set does not mention stay as shipped. */
function toVariant({ name, semiSpaceMb, reducer, growingPercent }: FlagSet): Variant {
  const others = FLAGS_OF_ALL.filter(
    (flag) => !/semi-space|memory-reducer|heap-growing/.test(flag),
  );
  const title = [
    `semi-space ${semiSpaceMb} MB`,
    ...(reducer ? ['memory reducer'] : []),
    growingPercent === undefined ? 'small steps' : `growing ${growingPercent} %`,
  ].join(', ');
  const engineFlags = [
    ...others,
    `--max-semi-space-size=${semiSpaceMb}`,
    ...(reducer ? [] : ['--no-memory-reducer']),
    ...(growingPercent === undefined ? [] : [`--heap-growing-percent=${growingPercent}`]),
  ];
  return { name, title, engineFlags };
}

/**
 * The size of the semi-space in MB; whether the memory reducer runs; by how much the heap may grow between
 * collections.
 */
const SETS: readonly FlagSet[] = [
  ...[8, 16, 32, 64].flatMap((semiSpaceMb) => [
    { name: `${semiSpaceMb}`, semiSpaceMb, reducer: false, growingPercent: 200 },
    { name: `${semiSpaceMb}-reducer`, semiSpaceMb, reducer: true, growingPercent: 200 },
  ]),
  { name: '64-100', semiSpaceMb: 64, reducer: false, growingPercent: 100 },
  { name: '64-300', semiSpaceMb: 64, reducer: false, growingPercent: 300 },
  { name: '64-small-steps', semiSpaceMb: 64, reducer: false, growingPercent: undefined },
  { name: '16-reducer-small-steps', semiSpaceMb: 16, reducer: true, growingPercent: undefined },
];

const BESIDE = ['floor', 'crossbook', 'mercurius'];
const MEASURED = CASES.filter(({ name }) => ['1', '100', '1000'].includes(name));

interface FlagSet {
  readonly name: string;
  readonly semiSpaceMb: number;
  readonly reducer: boolean;
  /** Absent: V8's default. */
  readonly growingPercent: number | undefined;
}
