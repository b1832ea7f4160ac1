import { existsSync, writeFileSync } from 'node:fs';
import { toTable } from '../report/throughput-table.ts';
import { readMemoryMb } from '../start/memory.ts';
import type { Options } from '../support/options.ts';
import { say, showProgress } from '../support/progress.ts';
import { measure } from '../throughput/measure.ts';
import { openStage, type Player, type Stage } from '../throughput/stage.ts';
import { CASES } from '../workload/cases.ts';
import { toRequests } from '../workload/requests.ts';
import { CONNECTIONS } from './throughput.ts';

/**
 * The memory for responses of 1,000 contacts while many of them are in flight: resident memory when idle and at its
 * peak.
 */
export async function measureMemory(options: Options): Promise<MemoryResult | undefined> {
  if (!existsSync('/proc/self/clear_refs')) {
    say('memory: skipped, this system does not tell the highest resident size.');
    return undefined;
  }
  const stage = await openStage({
    ...options,
    only: options.only ?? ['floor', 'crossbook', 'yoga', 'apollo'],
  });
  try {
    const rows: MemoryRow[] = [];
    for (const player of stage.players) rows.push(await ofPlayer(stage, player, options.seconds));
    const result = { connections: CONNECTIONS, rows };
    say(toMemoryTable(result));
    return result;
  } finally {
    await stage.close();
  }
}

async function ofPlayer(stage: Stage, player: Player, seconds: number): Promise<MemoryRow> {
  showProgress(`memory: ${player.title}`);
  const workload = CASES.find(({ contacts }) => contacts === 1_000);
  const requests = workload ? toRequests(player.kind, workload, player.headers) : [];
  await measure(stage, { player, requests, seconds: 0.2, connections: 1 });
  writeFileSync(`/proc/${player.process.pid}/clear_refs`, '5');
  const restMb = readMemoryMb(player.process.pid, 'VmRSS');
  await measure(stage, {
    player,
    requests,
    seconds: Math.max(seconds, 1),
    connections: CONNECTIONS,
  });
  const peakMb = readMemoryMb(player.process.pid, 'VmHWM');
  return {
    name: player.name,
    title: player.title,
    restMb,
    peakMb,
    answerMb: (peakMb - restMb) / CONNECTIONS,
  };
}

export function toMemoryTable({ connections, rows }: MemoryResult): string {
  return toTable(
    ['memory', 'after one answer, MB', `${connections} answers of 1,000 under way, MB`, 'each, MB'],
    rows.map(({ title, restMb, peakMb, answerMb }) => [
      title,
      restMb.toFixed(0),
      peakMb.toFixed(0),
      answerMb.toFixed(1),
    ]),
  );
}

interface MemoryRow {
  readonly name: string;
  readonly title: string;
  readonly restMb: number;
  readonly peakMb: number;
  /** The memory that each response in flight adds, including garbage. */
  readonly answerMb: number;
}

export interface MemoryResult {
  readonly connections: number;
  readonly rows: readonly MemoryRow[];
}
