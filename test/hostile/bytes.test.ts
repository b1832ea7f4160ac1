import '../support/process-sources.ts';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BYTES, type BytesKind } from './corpus/bytes.ts';
import { startBystander } from './target/bystander.ts';
import { openTarget, type Target } from './target/open-target.ts';

let target: Target;
let bystander: ReturnType<typeof startBystander>;

beforeAll(async () => {
  target = await openTarget({
    CROSSBOOK_HEADERS_TIMEOUT_MS: '1000',
    CROSSBOOK_REQUEST_TIMEOUT_MS: '2000',
    // The server must not inherit this.
    NODE_OPTIONS: '--insecure-http-parser',
  });
  bystander = startBystander(target);
});
afterAll(async () => {
  const { served, failures } = await bystander.stop();
  expect(failures).toEqual([]);
  expect(served).toBeGreaterThan(0);
  expect(await target.close()).toBe(0);
});

describe.each(BYTES)('Raw bytes that get $gets:', (kind) => {
  test.each(Object.entries(kind.lines))('%s', async (_title, bytes) => {
    const received = await exchange(bytes, kind);
    expect(
      [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status).join(','),
    ).toMatch(kind.gets);
    expect(received).not.toContain('smuggled');
  });
});

/** All bytes received until the connection ends, or until the first response if it stays open. */
function exchange(bytes: string, { staysOpen = false, ends = false }: BytesKind): Promise<string> {
  const socket = connect(Number(new URL(target.url).port), '127.0.0.1');
  let received = '';
  return new Promise((resolve) => {
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
      if (staysOpen && received.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(received));
    if (ends) socket.end(bytes, 'latin1');
    else socket.write(bytes, 'latin1');
  });
}
