import { setTimeout as sleep } from 'node:timers/promises';
import type { Load, LoadRequest, LoadResult } from '../load/main.ts';
import type { Player, Stage } from './stage.ts';

/** One contender under load for a period: its responses and their cost. */
export async function measure(stage: Stage, { player, ...work }: Run): Promise<Measured> {
  const before = await readCosts(stage, player);
  const load: Load = { url: player.url, ...work };
  const result = await stage.load.call<LoadResult>('run', load);
  await settle(player);
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

/** Waits for work that was deferred until after the response, so that it is not charged to the next contender. */
async function settle({ process }: Player): Promise<void> {
  let spent = await readCpuMs(process);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    await sleep(40);
    const now = await readCpuMs(process);
    if (now - spent < 4) return;
    spent = now;
  }
}

async function readCosts({ upstream }: Stage, { process }: Player) {
  const [cpuMs, calls] = await Promise.all([readCpuMs(process), upstream.call<number>('calls')]);
  return { cpuMs, calls };
}

async function readCpuMs(process: Player['process']): Promise<number> {
  const { user, system } = await process.call<NodeJS.CpuUsage>('usage');
  return (user + system) / 1_000;
}

export interface Run {
  readonly player: Player;
  readonly requests: readonly LoadRequest[];
  readonly seconds: number;
  readonly connections: number;
  /** Ends after so many responses, in place of the seconds. */
  readonly count?: number | undefined;
}

export interface Measured {
  /** Responses per second. */
  readonly rate: number;
  /** CPU time of the contender's process per response. */
  readonly cpuMs: number;
  /** The usage of one core: clearly below 1, something else was the bottleneck. */
  readonly busy: number;
  /** Calls to HubSpot per response. */
  readonly calls: number;
  readonly bytes: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}
