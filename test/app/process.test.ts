import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';

const run = promisify(execFile);
const data = mkdtempSync(join(tmpdir(), 'crossbook-'));
const running: { stop(): Promise<number | null> }[] = [];

afterEach(async () => {
  for (const process of running.splice(0)) await process.stop();
  rmSync(data, { recursive: true, force: true });
});

test('a fresh start answers the printed curl, and a restart keeps what was upserted', async () => {
  const first = await start();
  const answer = JSON.parse((await run('bash', ['-c', first.curl])).stdout);
  expect(answer.data.searchContacts.nodes[0]).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace' });
  expect(statSync(join(data, 'keys')).mode & 0o777).toBe(0o600);

  const customer = { customer_id: 'acme', name: 'Acme', email: 'it@acme.example' };
  await fetch(`${first.url}/customers`, {
    method: 'PUT',
    headers: first.headers,
    body: JSON.stringify(customer),
  });
  expect(await first.stop()).toBe(0);

  const second = await start();
  expect(second.headers).toEqual(first.headers);
  const kept = await fetch(`${second.url}/customers/acme`, { headers: second.headers });
  expect(await kept.json()).toMatchObject(customer);
});

test('a second process on the same data is told who has it', async () => {
  await start();
  const second = spawnProduct();
  let told = '';
  second.stderr.on('data', (text: Buffer) => {
    told += text;
  });
  expect((await once(second, 'exit'))[0]).toBe(1);
  expect(told).toContain(data);
  expect(told).not.toMatch(/\n\s+at /);
});

test('a wrong setting stops the start, in words', async () => {
  const product = spawnProduct({ PORT: 'http' });
  let told = '';
  product.stderr.on('data', (text: Buffer) => {
    told += text;
  });
  expect((await once(product, 'exit'))[0]).toBe(1);
  expect(told).toMatch(/PORT: must be a whole number/);
});

/** The product as its users run it; resolves when it says that it is ready. */
async function start() {
  const product = spawnProduct();
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    product.stdout.on('data', (text: Buffer) => {
      printed += text;
      if (/-d '.*'\n/.test(printed)) resolve();
    });
    product.once('exit', (code) => reject(new Error(`The product ended with ${code}:\n${printed}`)));
  });
  const started = {
    url: /ready at (\S+)/.exec(printed)?.[1] ?? '',
    curl: /curl[\s\S]*?-d '.*'/.exec(printed)?.[0] ?? '',
    headers: {
      'content-type': 'application/json',
      'x-api-key': /cbk_demo_[\w-]{43}/.exec(printed)?.[0] ?? '',
    },
    async stop() {
      if (product.exitCode !== null) return product.exitCode;
      product.kill('SIGTERM');
      return (await once(product, 'exit'))[0] as number | null;
    },
  };
  running.push(started);
  return started;
}

function spawnProduct(env: Record<string, string> = {}) {
  return spawn(process.execPath, ['dist/main.js'], {
    env: { PATH: process.env.PATH, PORT: '0', CROSSBOOK_SANDBOX_PORT: '0', CROSSBOOK_DATA: data, ...env },
  });
}
