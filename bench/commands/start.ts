import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { toTable } from '../report/throughput-table.ts';
import { requireNothingLeft } from '../start/leftovers.ts';
import { type Start, startOnce } from '../start/start-once.ts';
import { KEYS } from '../support/crossbook.ts';
import type { Options } from '../support/options.ts';
import { makeTemporaryDirectory, ROOT } from '../support/paths.ts';
import { say, showProgress } from '../support/progress.ts';
import { median } from '../support/statistics.ts';
import { openTemporaryDatabase } from '../support/temporary-database.ts';

/**
 * The time of each way to run Crossbook, from spawn to the first correct search, as a multiple of importing
 * graphql-yoga in the same round; and the memory after that search.
 */
export async function measureStart({
  node,
  quick,
  databaseUrl,
  rounds,
}: Options): Promise<StartResult> {
  const database = databaseUrl === undefined ? undefined : await openTemporaryDatabase(databaseUrl);
  const ways = await openWays(node, database?.url);
  const yoga: number[] = [];
  const starts = new Map<Way, Start[]>(ways.map((way) => [way, []]));
  try {
    for (let round = 0; round < (quick ? 1 : rounds); round += 1) {
      showProgress(`start: round ${round + 1}`);
      yoga.push(await importYoga(node));
      for (const way of ways) starts.get(way)?.push(await startAndCheck(node, way));
    }
  } finally {
    await database?.drop();
  }
  const yogaMs = median(yoga);
  const rows = [...starts].map(([{ name, title }, all]) => {
    const middle = (key: keyof Start) => median(all.map((one) => one[key]));
    const ms = middle('ms');
    return {
      name,
      title,
      ms,
      times: ms / yogaMs,
      nodeMb: middle('nodeMb'),
      databaseMb: middle('databaseMb'),
    };
  });
  const result = { yogaMs, rounds: yoga.length, rows };
  say(toStartTable(result));
  return result;
}

export function toStartTable({ yogaMs, rows }: StartResult): string {
  return toTable(
    [
      'from spawn to the first right search',
      'ms',
      '× importing graphql-yoga',
      'Node, MB',
      'database, MB',
    ],
    [
      ['`import("graphql-yoga")`, to its exit', yogaMs.toFixed(0), '1.0', '', ''],
      ...rows.map(({ title, ms, times, nodeMb, databaseMb }) => [
        title,
        ms.toFixed(0),
        times.toFixed(1),
        nodeMb.toFixed(0),
        databaseMb === 0 ? '' : databaseMb.toFixed(0),
      ]),
    ],
  );
}

/** The sandbox is always on: a search needs a CRM that responds immediately. */
async function openWays(node: string, databaseUrl: string | undefined): Promise<readonly Way[]> {
  const existing = makeTemporaryDirectory();
  const sandbox = { CROSSBOOK_SANDBOX: 'on' };
  const server = {
    NODE_ENV: 'production',
    ...sandbox,
    CROSSBOOK_KEYS: KEYS,
    DATABASE_URL: databaseUrl ?? '',
    CROSSBOOK_DATA: makeTemporaryDirectory(),
  };
  const ways: readonly Way[] = [
    ...(databaseUrl === undefined
      ? []
      : [{ name: 'postgres', title: 'production, on PostgreSQL', env: () => server }]),
    { name: 'existing', title: 'embedded database', env: () => ({ CROSSBOOK_DATA: existing }) },
    {
      name: 'empty',
      title: 'embedded database, first start',
      env: () => ({ CROSSBOOK_DATA: makeTemporaryDirectory() }),
      isFresh: true,
    },
  ];
  // Creates tables and fills caches.
  for (const way of ways) if (!way.isFresh) await startAndCheck(node, way);
  return ways;
}

async function startAndCheck(node: string, { env, isFresh = false }: Way): Promise<Start> {
  const settings = env();
  const start = await startOnce(node, settings);
  await requireNothingLeft(settings['CROSSBOOK_DATA']);
  if (isFresh) rmSync(settings['CROSSBOOK_DATA'], { recursive: true, force: true });
  return start;
}

async function importYoga(node: string): Promise<number> {
  const started = performance.now();
  const child = spawn(node, ['-e', "import('graphql-yoga')"], { cwd: ROOT, stdio: 'inherit' });
  await once(child, 'exit');
  return performance.now() - started;
}

interface Way {
  readonly name: string;
  readonly title: string;
  readonly isFresh?: boolean;
  env(): Readonly<Record<string, string>> & { readonly CROSSBOOK_DATA: string };
}

export interface StartResult {
  readonly yogaMs: number;
  readonly rounds: number;
  readonly rows: readonly {
    readonly name: string;
    readonly title: string;
    readonly ms: number;
    /** A multiple of `yogaMs`. */
    readonly times: number;
    /** The resident memory of the process itself. */
    readonly nodeMb: number;
    /** The proportional memory (PSS) of the embedded server and its guard. */
    readonly databaseMb: number;
  }[];
}
