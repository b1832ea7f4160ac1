import { toTable } from '../report/throughput-table.ts';
import type { Options } from '../support/options.ts';
import { say, showProgress } from '../support/progress.ts';
import { measure } from '../throughput/measure.ts';
import { openStage, type Player, type Stage } from '../throughput/stage.ts';
import { aliasedOperation } from '../workload/operations.ts';
import { emailsOf } from '../workload/people.ts';
import { toRequests } from '../workload/requests.ts';

/** One request at a time: the cost of a response by its size. */
export async function measureGrowth(options: Options): Promise<GrowthResult> {
  const stage = await openStage({ ...options, only: ['floor', 'crossbook'] });
  try {
    const { seconds } = options;
    const contacts: GrowthStep[] = [];
    for (const size of [1, 10, 100, 1_000]) {
      showProgress(`growth: ${size} contacts`);
      contacts.push({ size, ...(await ofContacts(stage, size, seconds)) });
    }
    const aliases: GrowthStep[] = [];
    for (const size of [1, 10, 50, 150]) {
      showProgress(`growth: ${size} aliased look-ups`);
      aliases.push({ size, crossbook: await ofAliases(stage, size, seconds) });
    }
    const result = { contacts, aliases };
    say(toGrowthTables(result));
    return result;
  } finally {
    await stage.close();
  }
}

async function ofContacts(stage: Stage, size: number, seconds: number) {
  const [floor, crossbook] = stage.players;
  const workload = { name: String(size), title: '', contacts: size, fields: 'all' } as const;
  const once = (player: Player | undefined) =>
    player &&
    alone(stage, player, { seconds, requests: toRequests(player.kind, workload, player.headers) });
  return { floor: await once(floor), crossbook: await once(crossbook) };
}

async function ofAliases(stage: Stage, size: number, seconds: number): Promise<Cost | undefined> {
  const player = stage.players.find(({ name }) => name === 'crossbook');
  const variables = Object.fromEntries(
    emailsOf(size).map((email, index) => [`email${index}`, email]),
  );
  const body = JSON.stringify({ query: aliasedOperation(size), variables });
  return (
    player &&
    alone(stage, player, {
      seconds,
      requests: [{ path: '/graphql', headers: player.headers, body }],
    })
  );
}

async function alone(stage: Stage, player: Player, work: Work): Promise<Cost> {
  await measure(stage, { player, connections: 1, ...work });
  const { p50, cpuMs, calls } = await measure(stage, { player, connections: 1, ...work });
  return { ms: p50, cpuMs, calls };
}

export function toGrowthTables({ contacts, aliases }: GrowthResult): string {
  const ms = (cost: Cost | undefined) => (cost ? cost.ms.toFixed(2) : '');
  return [
    toTable(
      ['contacts in one answer', 'hand-written, ms', 'Crossbook, ms', 'Crossbook, ms a contact'],
      contacts.map(({ size, floor, crossbook }) => [
        size.toLocaleString('en'),
        ms(floor),
        ms(crossbook),
        ((crossbook?.ms ?? Number.NaN) / size).toFixed(3),
      ]),
    ),
    toTable(
      ['aliased look-ups in one operation', 'Crossbook, ms', 'CRM calls'],
      aliases.map(({ size, crossbook }) => [
        String(size),
        ms(crossbook),
        (crossbook?.calls ?? 0).toFixed(0),
      ]),
    ),
  ].join('\n\n');
}

interface Work {
  readonly seconds: number;
  readonly requests: Parameters<typeof measure>[1]['requests'];
}

interface Cost {
  /** The median time from the request to the complete response. */
  readonly ms: number;
  readonly cpuMs: number;
  readonly calls: number;
}

interface GrowthStep {
  readonly size: number;
  readonly floor?: Cost | undefined;
  readonly crossbook: Cost | undefined;
}

export interface GrowthResult {
  readonly contacts: readonly GrowthStep[];
  readonly aliases: readonly GrowthStep[];
}
