import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Compiled, compile } from '../support/compile.ts';
import { openWireServer, type WireServer } from '../support/wire-server.ts';

const MB = 1024 * 1024;
/** A chunk of an HTTP body. */
const ONE_BYTE = '1\r\nx\r\n';

describe.runIf(process.platform === 'linux')('a process of 384 MB', () => {
  let crm: WireServer;
  let compiled: Compiled;
  let child: ChildProcess;
  let url: string;
  let bound: number;
  let isChopped = false;
  /** The CRM sends its responses two at a time; undefined: at once. */
  let pair: (() => void)[] | undefined;

  beforeAll(async () => {
    const notes = 'x'.repeat(MB / 2);
    const results = Array.from({ length: 15 }, (_, id) => ({
      id: String(id),
      properties: { email: 'a@x.example', notes },
    }));
    const page = JSON.stringify({ total: results.length, results });
    crm = await openWireServer((_, response) => {
      if (!isChopped) {
        const send = () => void response.end(page);
        if (!pair) return send();
        pair.push(send);
        if (pair.length === 2) for (const one of pair.splice(0)) one();
        return;
      }
      response.writeHead(200, { 'transfer-encoding': 'chunked' }).flushHeaders();
      response.socket?.end(`${ONE_BYTE.repeat(3 * MB)}0\r\n\r\n`);
    });
    compiled = compile('test/outbound/memory-process.ts');
    child = spawn(process.execPath, ['--max-old-space-size=384', compiled.file, crm.origin], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [ready] = (await once(child, 'message')) as [{ url: string; maxBytes: number }];
    url = ready.url.replace('localhost', '127.0.0.1');
    // Baseline: the peak after one request of each kind. Allowed growth: the memory limit and 100 MB of garbage.
    await fetch(`${url}/search`);
    await fetch(`${url}/large`);
    bound = readPeak(child) + ready.maxBytes + 100 * MB;
  });
  afterAll(async () => {
    child.send('end');
    await once(child, 'exit');
    compiled.remove();
    await crm.close();
  });

  test('accepts as many of 20 responses of 7.5 MB as fit into its memory limit, and rejects the rest', async () => {
    pair = [];
    const all = Array.from({ length: 20 }, () => fetch(`${url}/search`));
    expect(await (await fetch(`${url}/pages`)).text()).toMatch(/^\d+$/);
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    pair = undefined;
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
    expect(statuses).toContain(503);
    expect(readPeak(child)).toBeLessThan(bound);
    expect((await fetch(`${url}/search`)).status).toBe(200);
    await expect.poll(() => readHeld(child)).toBe(0);
  });

  test('receives two responses of three million chunks of one byte in the memory that is reserved for them', async () => {
    isChopped = true;
    const all = await Promise.all(Array.from({ length: 2 }, () => fetch(`${url}/search`)));
    isChopped = false;
    // They are no JSON.
    expect(all.map(({ status }) => status)).toEqual([503, 503]);
    expect(readPeak(child)).toBeLessThan(bound);
    await expect.poll(() => readHeld(child)).toBe(0);
  });

  test('receives 30 bodies in chunks of one byte in the memory that is reserved for them', async () => {
    const senders = Array.from({ length: 30 }, () =>
      connect(Number(new URL(url).port), '127.0.0.1'),
    );
    const head = 'POST /pages HTTP/1.1\r\nhost: crossbook\r\ntransfer-encoding: chunked\r\n\r\n';
    for (const sender of senders) sender.write(head + ONE_BYTE.repeat(32_000));
    await expect.poll(() => readHeld(child)).toBeGreaterThanOrEqual(30 * 32_000);
    expect(readPeak(child)).toBeLessThan(bound);
    for (const sender of senders) sender.destroy();
    await expect.poll(() => readHeld(child)).toBe(0);
  });

  test('gives 200 clients that do not read only the share of all without a key', async () => {
    const { port } = new URL(url);
    const readers = Array.from({ length: 200 }, () => connect(Number(port), '127.0.0.1').pause());
    for (const reader of readers)
      reader.write('GET /large HTTP/1.1\r\nhost: crossbook\r\n\r\n'.repeat(20));
    await expect.poll(() => readHeld(child)).toBeGreaterThan(4 * MB);
    const elsewhere = connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.2' });
    elsewhere.write('GET /pages HTTP/1.1\r\nhost: crossbook\r\n\r\n');
    expect(String((await once(elsewhere, 'data'))[0])).toContain('200 OK');
    expect(readPeak(child)).toBeLessThan(bound);
    for (const socket of [...readers, elsewhere]) socket.destroy();
    await expect.poll(() => readHeld(child)).toBe(0);
  });
});

/** The highest that its resident memory ever was. */
function readPeak({ pid }: ChildProcess): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

async function readHeld(child: ChildProcess): Promise<number> {
  child.send('held');
  return ((await once(child, 'message'))[0] as { held: number }).held;
}
