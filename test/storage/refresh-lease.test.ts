import { expect, test } from 'vitest';
import { underRefreshLease } from '../../src/storage/credentials.ts';
import type { Engine } from '../../src/storage/engine/postgres.ts';

test('a process that repeatedly finds the lease taken gives up after two lease times with an error', async () => {
  let tries = 0;
  const engine = {
    repeatable: (run: () => unknown) => run(),
    async query() {
      tries += 1;
      if (tries === 6) throw new Error('Nobody gives up here.');
      return [];
    },
  } as unknown as Engine;
  // Each time another process has it.
  const find = async () => ({ generation: 1, lease: `lease-${tries}` }) as never;
  const waiting = underRefreshLease(
    { engine, leaseMs: 1, applicationId: 'a', connectionId: 'c', find },
    () => Promise.reject(new Error('It never had the lease.')),
  );
  await expect(waiting).rejects.toMatchObject({
    code: 'REMOTE_PROVIDER_TIMEOUT',
    retryAfterMs: 1_000,
  });
});
