import { type ChildProcess, spawn } from 'node:child_process';
import { compile } from './compile.ts';
import type { SyncWorldOf } from './sync-world.ts';
import type { SyncingSetup } from './syncing-process.ts';

/** Processes that run the syncs of a world until they are killed, and print what they do as lines of JSON. */
export function compileSyncing() {
  const { file, remove } = compile('test/support/syncing-process.ts');
  return {
    remove,
    start({ own, sandbox }: SyncWorldOf): ChildProcess {
      const setup: SyncingSetup = {
        database: own.url,
        keys: `test:${Buffer.alloc(32, 'test').toString('base64')}`,
        sandboxOrigins: [sandbox.hubspot.origin, sandbox.salesforce.origin],
        client: sandbox.hubspot.demo,
        // As much as changes are read behind now.
        aheadMs: 60_000,
      };
      return spawn(process.execPath, [file, JSON.stringify(setup)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    },
  };
}
