import { expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { IdleConnection } from '../../src/domain/tenant.ts';
import { type IdleRefreshDeps, refreshIdleTokens } from '../../src/usecases/refresh-idle-tokens.ts';

const NOW = Date.parse('2026-11-23T00:00:00.000Z');

function setUp(names: readonly string[], patch: Partial<IdleRefreshDeps> = {}) {
  const seen = {
    outcomes: [] as string[],
    pauses: [] as number[],
    passedOver: [] as string[],
    claims: [] as string[],
  };
  const left = names.map((connectionId) => ({ ...ONE, connectionId }));
  const deps: IdleRefreshDeps = {
    idle: {
      acquireJobLease: async () => true,
      async claim({ limit, idleBefore, claimedAs }) {
        seen.claims.push(`${idleBefore.toISOString()} ${claimedAs.toISOString()}`);
        return left.splice(0, limit);
      },
      passOver: async ({ connectionId }) => void seen.passedOver.push(connectionId),
    },
    holder: 'h',
    providers: ['hubspot'],
    wall: () => NOW,
    pause: async (ms) => void seen.pauses.push(ms),
    isStopping: () => false,
    refreshStoredToken: async () => 'renewed',
    onRefreshed: (_provider, outcome) => void seen.outcomes.push(outcome),
    ...patch,
  };
  return { deps, ...seen };
}

const ONE: IdleConnection = {
  applicationId: 'a',
  connectionId: 'c',
  customerId: 'x',
  providerName: 'hubspot',
  generation: 1,
};

test('tokens idle for a week are refreshed one after the other, and failed ones are due again in an hour', async () => {
  const many = Array.from({ length: 45 }, (_, index) => `c${index}`);
  const { deps, outcomes, pauses, claims } = setUp(many);
  await refreshIdleTokens(deps);
  expect(outcomes).toEqual(Array(45).fill('renewed'));
  expect(pauses).toHaveLength(45);
  expect(new Set(claims)).toEqual(new Set(['2026-11-16T00:00:00.000Z 2026-11-16T01:00:00.000Z']));
});

test('no token is refreshed while another process has the lease', async () => {
  const { deps, outcomes, claims } = setUp(['c']);
  await refreshIdleTokens({ ...deps, idle: { ...deps.idle, acquireJobLease: async () => false } });
  expect([outcomes, claims]).toEqual([[], []]);
});

test('a failed refresh does not prevent the next, and reports whether it is permanent', async () => {
  const failures: Record<string, unknown> = {
    refused: new CrossbookError('REMOTE_PROVIDER_UNAUTHORIZED', 'no'),
    away: new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'no'),
    bug: new Error('no'),
  };
  const { deps, outcomes, passedOver } = setUp(['refused', 'away', 'bug', 'static', 'fine'], {
    async refreshStoredToken({ connectionId }) {
      if (failures[connectionId]) throw failures[connectionId];
      return connectionId === 'static' ? 'not refreshable' : 'renewed';
    },
  });
  await refreshIdleTokens(deps);
  expect(outcomes).toEqual(['refused', 'failed', 'failed', 'nothing', 'renewed']);
  expect(passedOver).toEqual(['static']);
});

test('a process that stops starts no further refresh', async () => {
  let refreshed = 0;
  const { deps, outcomes } = setUp(['a', 'b', 'c'], { isStopping: () => refreshed === 1 });
  await refreshIdleTokens({
    ...deps,
    refreshStoredToken: async () => {
      refreshed += 1;
      return 'renewed';
    },
  });
  expect(outcomes).toEqual(['renewed']);
});
