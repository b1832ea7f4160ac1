import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/databases.ts';
import '../support/process-sources.ts';

const KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

test('`crossbook jobs` answers probes and metrics, no API, and ends by SIGTERM', async () => {
  const database = await createTestDatabase();
  const jobs = runJobs({ DATABASE_URL: database.url, CROSSBOOK_KEYS: KEYS });
  const url = await jobs.url;
  for (const [path, status, words] of [
    ['/livez', 200, '"ok":true'],
    ['/readyz', 200, '"database":true'],
    ['/metrics', 200, 'crossbook_jobs_age_seconds'],
    ['/', 404, 'This process does jobs'],
    ['/graphql', 404, 'This process does jobs'],
  ] as const) {
    const response = await fetch(`${url}${path}`);
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringContaining(words),
    ]);
  }
  jobs.child.kill('SIGTERM');
  expect(await jobs.ended).toBe(0);
  await database.drop();
});

test.each([
  [{}, 'crossbook jobs needs DATABASE_URL'],
  [
    { DATABASE_URL: 'postgres://127.0.0.1:1/none', CROSSBOOK_SANDBOX: 'on' },
    'crossbook jobs cannot reach the sandbox',
  ],
])('`crossbook jobs` with %j ends with a reason', async (env, reason) => {
  const jobs = runJobs(env);
  expect(await jobs.ended).toBe(1);
  expect(jobs.complaints()).toContain(reason);
});

function runJobs(env: Record<string, string>) {
  const child = spawn(process.execPath, ['dist/main.js', 'jobs'], {
    env: { PATH: process.env['PATH'], CROSSBOOK_JOBS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, complained] = ['', ''];
  child.stderr.on('data', (text: Buffer) => {
    complained += text;
  });
  return {
    child,
    complaints: () => complained,
    ended: once(child, 'close').then(([code]) => code as number | null),
    url: new Promise<string>((resolve) => {
      child.stdout.on('data', (text: Buffer) => {
        printed += text;
        const [, url] = /metrics: (\S+)/.exec(printed) ?? [];
        if (url) resolve(url.replace('localhost', '127.0.0.1'));
      });
    }),
  };
}
