import { spawnSync } from 'node:child_process';

/** Some tests run the product as its users do, as a process: it is compiled once, before any of them. */
export function setup(): void {
  // Types are the business of `npm run types`: here only the output counts.
  for (const project of ['tsconfig.build.json', 'tsconfig.client.json'])
    spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project]);
}
