import { spawnSync } from 'node:child_process';

/** Some tests start the product as a process: it is built once, before any of them. */
export function setup(): void {
  for (const script of ['build/ensure.mjs', 'build/client.mjs'])
    spawnSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] });
}
