import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { createHostResolver } from '../../src/lib/addresses.ts';

let server: Socket | undefined;
afterEach(() => server?.close());

test('a hanging name server does not delay other look-ups of the process', async () => {
  const { resolve, asked } = await openNameServer(() => undefined);
  // More than the thread pool has threads.
  const pending = Array.from({ length: 16 }, (_, index) => resolve(`hangs-${index}.example`));
  await expect.poll(asked).toBeGreaterThan(4);
  expect(await lookup('localhost')).toMatchObject({ address: expect.any(String) });
  const ended = await Promise.allSettled(pending);
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
});

test('a name resolves to the addresses of both families, or of the one that it has', async () => {
  const { resolve } = await openNameServer(({ type }) =>
    type === A ? [203, 0, 113, 7] : undefined,
  );
  expect(await resolve('hooks.example')).toEqual([{ address: '203.0.113.7', family: 4 }]);
});

/** Answers a question with one address, with none (an empty list of answers), or never. */
async function openNameServer(answer: (question: Question) => readonly number[] | undefined) {
  const socket = createSocket('udp4');
  server = socket;
  let questions = 0;
  socket.on('message', (message, { port, address }) => {
    questions += 1;
    const type = message.readUInt16BE(message.indexOf(0, 12) + 1);
    const found = answer({ type });
    if (message.includes('hangs')) return;
    socket.send(toResponse(message, found), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolve = createHostResolver({ servers: [`127.0.0.1:${socket.address().port}`] });
  return { resolve, asked: () => questions };
}

function toResponse(question: Buffer, found: readonly number[] | undefined): Buffer {
  const end = question.indexOf(0, 12) + 5;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(found ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  const record = found ? [0xc0, 12, 0, A, 0, 1, 0, 0, 0, 60, 0, found.length, ...found] : [];
  return Buffer.concat([head, Buffer.from(record)]);
}

const A = 1;

interface Question {
  readonly type: number;
}
