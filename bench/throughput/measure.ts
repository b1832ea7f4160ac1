import type { Load, LoadResult } from '../load/main.ts';
import type { Case } from '../workload/cases.ts';
import { toRequests } from '../workload/requests.ts';
import type { Player, Stage } from './stage.ts';

/** One contender under load for a while: what came back, and what it cost. */
export async function measure(stage: Stage, { player, asked, seconds, connections }: Run): Promise<Measured> {
  const requests = toRequests(player.kind, asked, player.headers);
  const before = await readCosts(stage, player);
  const load: Load = { url: player.url, connections, seconds, requests };
  const result = await stage.load.call<LoadResult>('run', load);
  const after = await readCosts(stage, player);
  const cpuMs = after.cpuMs - before.cpuMs;
  return {
    rate: result.answers / result.seconds,
    cpuMs: cpuMs / result.answers,
    busy: cpuMs / 1_000 / result.seconds,
    calls: (after.calls - before.calls) / result.answers,
    bytes: result.bytes / result.answers,
    p50: result.p50,
    p99: result.p99,
  };
}

async function readCosts({ upstream }: Stage, { process }: Player) {
  const [{ user, system }, calls] = await Promise.all([
    process.call<NodeJS.CpuUsage>('usage'),
    upstream.call<number>('calls'),
  ]);
  return { cpuMs: (user + system) / 1_000, calls };
}

export interface Run {
  readonly player: Player;
  readonly asked: Case;
  readonly seconds: number;
  readonly connections: number;
}

export interface Measured {
  /** Answers in a second. */
  readonly rate: number;
  /** Of the contender's process, for one answer. */
  readonly cpuMs: number;
  /** How much of one core it used: clearly below 1, something else was the bound. */
  readonly busy: number;
  /** To HubSpot, for one answer. */
  readonly calls: number;
  readonly bytes: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}
