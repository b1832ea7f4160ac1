import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

const HOUR_MS = 3_600_000;
const BREAKER_MS = 30_000;
const SEARCH = { filter: { email: 'ada@example.com' } };
const HUBSPOT = { 'x-provider-name': 'hubspot' };

let app: TestApp;
let sandbox: Sandbox;
let passed: number;
let stepped: number;
afterEach(async () => {
  await app.close();
  await sandbox.close();
});

describe.each([-2, 2])(
  'When the wall clock is set by %d hours while the process runs,',
  (hours) => {
    test('an open circuit breaker still closes after its reset time', async () => {
      await open();
      sandbox.hubspot.demo.fail({ kind: 'reset' }, { times: 1_000 });
      await expect.poll(async () => (await search()).detail).toContain('Calls to it are paused');
      sandbox.hubspot.demo.clearFaults();
      stepped += hours * HOUR_MS;
      expect((await search()).detail).toContain('Calls to it are paused');
      passed += BREAKER_MS;
      expect((await search()).status).toBe(200);
    });

    test('the rate limit window is not affected: no search is rejected', async () => {
      await open();
      for (let call = 0; call < 60; call += 1) {
        if (call === 20) stepped += hours * HOUR_MS;
        passed += 1_000;
        expect((await search()).status).toBe(200);
      }
    });

    test('a token that was signed before expires by the new time of day', async () => {
      await open();
      const made = await app.rest('POST', '/customers/demo/tokens', { expires_in_seconds: 7_000 });
      expect(made.status).toBe(200);
      stepped += hours * HOUR_MS;
      const headers = { authorization: `Bearer ${made.body.token}` };
      const request = new Request('http://crossbook.test/customers/demo', { headers });
      const { status } = await toFetch(app.app.answer)(request);
      expect(status).toBe(hours < 0 ? 200 : 401);
    });
  },
);

async function open(): Promise<void> {
  [passed, stepped] = [0, 0];
  sandbox = await openSandbox({ enforceLimits: false });
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + passed,
    wall: () => systemClock.wall() + passed + stepped,
  };
  app = await openApp({}, { clock, sandbox });
}

async function search() {
  const { status, body } = await app.rest('POST', '/contacts/_search', SEARCH, HUBSPOT);
  return { status, detail: body.errors?.[0].detail as string | undefined };
}
