import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { type Product, spawnProduct, startProduct } from '../support/product.ts';
import { openRawClient } from '../support/raw-client.ts';

const run = promisify(execFile);
const data = mkdtempSync(join(tmpdir(), 'crossbook-'));
const running: Product[] = [];

afterEach(async () => {
  for (const process of running.splice(0)) {
    process.child.kill('SIGCONT');
    await process.stop();
  }
  rmSync(data, { recursive: true, force: true });
});

test('a first start responds to the printed curl command, and data survive a restart', async () => {
  const first = await start();
  const answer = JSON.parse((await run('bash', ['-c', first.curl])).stdout);
  expect(answer.data.searchContacts.nodes[0]).toMatchObject({
    firstName: 'Ada',
    lastName: 'Lovelace',
  });
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

test('a second process on the same data directory fails with an error that names the first', async () => {
  await start();
  const second = spawnProduct({ CROSSBOOK_DATA: data });
  let output = '';
  second.stderr?.on('data', (text: Buffer) => {
    output += text;
  });
  expect((await once(second, 'close'))[0]).toBe(1);
  expect(output).toContain(data);
  expect(output).not.toMatch(/\n\s+at /);
});

test('an invalid setting stops the start with a message', async () => {
  const product = spawnProduct({ CROSSBOOK_DATA: data, PORT: 'http' });
  let output = '';
  product.stderr?.on('data', (text: Buffer) => {
    output += text;
  });
  expect((await once(product, 'close'))[0]).toBe(1);
  expect(output).toMatch(/PORT: must be a whole number/);
});

test('a request that the HTTP parser rejects is logged and counted', async () => {
  const { url, lines } = await start();
  const client = openRawClient(url);
  client.send('NONSENSE\r\n\r\n');
  expect(await client.ended).toMatch(/^HTTP\/1.1 400 /);
  const logLine = { level: 30, msg: 'refused', status: 400, code: 'HPE_INVALID_METHOD' };
  await expect
    .poll(() => lines().map((line) => JSON.parse(line)))
    .toContainEqual(expect.objectContaining(logLine));
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('crossbook_refusals_total{status="400",code="HPE_INVALID_METHOD"} 1\n');
});

test('when the reader of its log dies, the server keeps serving, counts the lost lines, and shuts down normally', async () => {
  const { child, url, headers, complaints, stop } = await start();
  child.stdout?.destroy();
  await expect
    .poll(async () => {
      expect((await fetch(`${url}/customers/demo`, { headers })).status).toBe(200);
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/^crossbook_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1]);
    })
    .toBeGreaterThan(1);
  expect([await stop(), complaints()]).toEqual([0, '']);
});

test.skipIf(process.platform !== 'linux')(
  'a thousand clients that connect while the event loop is blocked are accepted, and get responses',
  async () => {
    const { child, url } = await start();
    child.kill('SIGSTOP');
    const port = Number(new URL(url).port);
    const clients = Array.from({ length: 1_000 }, () => connect(port, '127.0.0.1'));
    // The kernel completes the connections (accept backlog) while the process does not run; only the test's own
    // time limit applies.
    await Promise.all(clients.map((client) => once(client, 'connect')));
    child.kill('SIGCONT');
    const answers = clients.map(async (client) => {
      client.end('GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
      return String((await once(client, 'data'))[0]).slice(0, 12);
    });
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['HTTP/1.1 200']));
  },
);

async function start(): Promise<Product> {
  const product = await startProduct({ CROSSBOOK_DATA: data });
  running.push(product);
  return product;
}
