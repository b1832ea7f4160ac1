import { toThroughputTable } from '../report/throughput-table.ts';
import type { Options } from '../support/options.ts';
import { say, showProgress } from '../support/progress.ts';
import { type Summary, summarise } from '../support/statistics.ts';
import { type Measured, measure } from '../throughput/measure.ts';
import { openStage, type Player, type Stage } from '../throughput/stage.ts';
import { verify } from '../throughput/verify.ts';
import { CASES, type Case } from '../workload/cases.ts';
import { toRequests } from '../workload/requests.ts';

/** Responses per second of all contenders, in interleaved rounds. */
export async function measureThroughput(options: Options): Promise<ThroughputResult> {
  const stage = await openStage(options);
  try {
    const cases: CaseResult[] = [];
    for (const workload of CASES) cases.push(await measureCase(stage, workload, options));
    const result = {
      connections: CONNECTIONS,
      rounds: options.rounds,
      seconds: options.seconds,
      cases,
    };
    say(toThroughputTable(result));
    return result;
  } finally {
    await stage.close();
  }
}

export async function measureCase(
  stage: Stage,
  workload: Case,
  options: Options,
): Promise<CaseResult> {
  return { ...workload, rows: toRows(await runCase(stage, workload, options)) };
}

/** Each contender once per round, after all are warm. */
export async function runCase(
  stage: Stage,
  workload: Case,
  options: Options,
): Promise<CaseRuns['runs']> {
  const { rounds, seconds, warmUps } = options;
  const runs = new Map<Player, Measured[]>(stage.players.map((player) => [player, []]));
  const once = (player: Player, length: number) =>
    measure(stage, {
      player,
      requests: toRequests(player.kind, workload, player.headers),
      seconds: length,
      connections: CONNECTIONS,
    });
  for (const player of stage.players) {
    showProgress(`${workload.title}: ${player.title} warms up`);
    await verify(player, workload);
    await warmUp((length) => once(player, length), warmUps);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const player of toOrder(stage.players, round)) {
      showProgress(`${workload.title}: round ${round + 1} of ${rounds}, ${player.title}`);
      runs.get(player)?.push(await once(player, seconds));
    }
  }
  return runs;
}

/**
 * Runs until the CPU time of a response has not decreased three times in a row, i.e. until JIT compilation has
 * settled. The more code there is, the longer that takes, and a server that runs for months should not be measured
 * by its first seconds.
 */
async function warmUp(
  run: (seconds: number) => Promise<Measured>,
  maxTurns: number,
): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let idleTurns = 0;
  for (let turn = 0; turn < maxTurns && idleTurns < 3; turn += 1) {
    const { cpuMs } = await run(WARM_UP_SECONDS);
    idleTurns = cpuMs < least * WORTH_GOING_ON ? 0 : idleTurns + 1;
    least = Math.min(least, cpuMs);
  }
}

/** Ratios are computed within one round: a temporary slowdown of the machine affects both sides. */
export function toRows(runs: ReadonlyMap<Player, readonly Measured[]>): readonly Row[] {
  const [floor = []] = runs.values();
  return [...runs].map(([{ name, title }, measured]) => {
    const pick = (key: keyof Measured) => summarise(measured.map((one) => one[key]));
    const against = (key: 'rate' | 'cpuMs') =>
      summarise(
        measured.map((one, round) => toRatio(one[key], floor[round]?.[key], key === 'cpuMs')),
      );
    return {
      name,
      title,
      ratio: against('rate'),
      cpuRatio: against('cpuMs'),
      rate: pick('rate'),
      cpuMs: pick('cpuMs'),
      busy: pick('busy'),
      calls: pick('calls').median,
      bytes: pick('bytes').median,
      p50: pick('p50').median,
      p99: pick('p99').median,
    };
  });
}

/** More is better, also for a cost. */
function toRatio(own: number, floor = Number.NaN, isCost: boolean): number {
  return isCost ? floor / own : own / floor;
}

/**
 * Rotates the order each round, and reverses every second one, so that no contender always follows the same one.
 */
function toOrder<Item>(items: readonly Item[], round: number): readonly Item[] {
  const from = round % items.length;
  if (round % 2 === 0) return [...items.slice(from), ...items.slice(0, from)];
  return [...items.slice(from + 1), ...items.slice(0, from + 1)].reverse();
}

const WARM_UP_SECONDS = 2;
/** An improvement below 2 % is noise. */
const WORTH_GOING_ON = 0.98;

export const CONNECTIONS = 32;

export interface Row {
  readonly name: string;
  readonly title: string;
  /** Throughput relative to the floor's. */
  readonly ratio: Summary;
  /** Responses per CPU time, relative to the floor's. */
  readonly cpuRatio: Summary;
  readonly rate: Summary;
  readonly cpuMs: Summary;
  readonly busy: Summary;
  readonly calls: number;
  readonly bytes: number;
  readonly p50: number;
  readonly p99: number;
}

export interface CaseRuns extends Case {
  /** One of each round. */
  readonly runs: ReadonlyMap<Player, readonly Measured[]>;
}

export interface CaseResult extends Case {
  readonly rows: readonly Row[];
}

export interface ThroughputResult {
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly cases: readonly CaseResult[];
}
