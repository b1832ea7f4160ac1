import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createResponseSender } from '../../src/http/send-response.ts';
import { UnreadBytes } from '../../src/http/unread-bytes.ts';
import { JsonBytes } from '../../src/lib/response-body.ts';

const KB = 1024;
const MB = 1024 * KB;

test('a full socket gets no more than one slice', () => {
  const { sender } = open();
  const response = createResponse();
  sender.send(response.as, { status: 200, headers: {}, body: Buffer.alloc(4 * MB, 'x') });
  expect(response.written()).toBe(64 * KB);
});

test('a client that reads nothing is disconnected after one time window', () => {
  const { sender, clock, refused } = open();
  const response = createResponse();
  sender.send(response.as, { status: 200, headers: {}, body: Buffer.alloc(4 * MB, 'x') });
  clock.now = 9_999;
  sender.cutSlowReaders();
  expect(response.destroyed()).toBe(false);
  clock.now = 10_000;
  sender.cutSlowReaders();
  expect(response.destroyed()).toBe(true);
  expect(refused).toEqual([{ status: undefined, code: 'RESPONSE_READ_TOO_SLOWLY' }]);
});

test('a client that reads one slice every six seconds is disconnected as well', () => {
  const { sender, clock } = open();
  const response = createResponse();
  sender.send(response.as, { status: 200, headers: {}, body: Buffer.alloc(4 * MB, 'x') });
  for (let at = 0; at <= 60_000 && !response.destroyed(); at += 1_000) {
    clock.now = at;
    if (at % 6_000 === 5_000) response.drain();
    sender.cutSlowReaders();
  }
  expect(response.destroyed()).toBe(true);
});

test('a client at the minimum rate gets the whole response, however long that takes', () => {
  const { sender, clock } = open();
  const response = createResponse();
  const text = 'äx'.repeat(MB);
  sender.send(response.as, { status: 200, headers: {}, body: Buffer.from(text) });
  for (let at = 0; !response.ended(); at += 4_000) {
    clock.now = at;
    response.drain();
    sender.cutSlowReaders();
  }
  expect(response.destroyed()).toBe(false);
  expect(response.text()).toBe(text);
});

test('a small response that the socket does not take is counted, and has a time limit too', () => {
  const { sender, clock, held } = open();
  const response = createResponse();
  sender.send(response.as, { status: 200, headers: {}, body: 'small' });
  expect(held.counts().held).toBeGreaterThan(0);
  clock.now = 10_000;
  sender.cutSlowReaders();
  expect(response.destroyed()).toBe(true);
  expect(held.counts().held).toBe(0);
});

test('a small unread response is charged to the application of its caller, also while strangers have used up their share', () => {
  const { sender, held } = open();
  expect(held.hold(undefined, 16 * MB)).toBeDefined();
  const [stranger, caller] = [createResponse(), createResponse()];
  const small = { status: 200, headers: {}, body: 'small' };
  sender.send(stranger.as, small);
  sender.send(caller.as, { ...small, application: 'mine' });
  expect([stranger.destroyed(), caller.destroyed()]).toEqual([true, false]);
});

test('a small response that the socket takes immediately is not counted', () => {
  const { sender, held } = open({ maxBytes: 0 });
  const response = createResponse({ isTaken: true });
  sender.send(response.as, { status: 200, headers: {}, body: 'small' });
  expect(response.text()).toBe('small');
  expect(held.counts()).toMatchObject({ held: 0, refused: 0 });
});

test('a small response without free memory closes its connection, because it is already written', () => {
  const { sender, refused } = open({ maxBytes: 0 });
  const response = createResponse();
  sender.send(response.as, { status: 200, headers: {}, body: 'small' });
  expect(response.destroyed()).toBe(true);
  expect(refused).toEqual([{ status: undefined, code: 'RESPONSE_MEMORY_FULL' }]);
});

test('a response of several parts is sent in slices too', () => {
  const { sender } = open();
  const response = createResponse();
  const pieces = [
    Buffer.from('a'.repeat(100 * KB)),
    Buffer.from('b'),
    Buffer.from('c'.repeat(65 * KB)),
  ];
  sender.send(response.as, { status: 200, headers: {}, body: new JsonBytes(pieces) });
  while (!response.ended()) response.drain();
  expect(response.text()).toBe(Buffer.concat(pieces).toString());
});

test('a response of another worker is passed on as the client reads it, and has the same time limit', () => {
  const { sender, clock, refused } = open();
  const response = createResponse();
  const body = new PassThrough({ highWaterMark: 4 * MB });
  sender.stream(response.as, { status: 200, headers: {}, length: 2 * MB, body });
  const parts = Array.from({ length: 32 }, () => Buffer.alloc(64 * KB, 'x'));
  body.emit('data', parts[0]);
  expect(body.isPaused()).toBe(true);
  for (const part of parts.slice(1, 16)) {
    clock.now += 4_000;
    response.drain();
    sender.cutSlowReaders();
    body.emit('data', part);
  }
  expect(response.destroyed()).toBe(false);
  clock.now += 20_000;
  sender.cutSlowReaders();
  clock.now += 10_000;
  sender.cutSlowReaders();
  expect(response.destroyed()).toBe(true);
  expect(body.destroyed).toBe(true);
  expect(refused).toEqual([{ status: undefined, code: 'RESPONSE_READ_TOO_SLOWLY' }]);
});

test('a response of another worker ends with its body', () => {
  const { sender } = open();
  const response = createResponse();
  const body = new PassThrough();
  sender.stream(response.as, { status: 200, headers: { a: 'b' }, length: 1, body });
  body.emit('data', Buffer.from('x'));
  body.emit('end');
  expect([response.status(), response.headers(), response.text(), response.ended()]).toEqual([
    200,
    { a: 'b' },
    'x',
    true,
  ]);
});

function open({ maxBytes = 64 * MB } = {}) {
  const clock = { now: 0 };
  const held = new UnreadBytes(maxBytes);
  const refused: object[] = [];
  const sender = createResponseSender({
    unread: held,
    now: () => clock.now,
    onRefused: (refusal) => refused.push(refusal),
  });
  sender.close();
  return { sender, clock, held, refused };
}

/** A response whose socket accepts one write each time that the test drains it. */
function createResponse({ isTaken = false } = {}) {
  const emitter = new EventEmitter();
  const chunks: Buffer[] = [];
  const state = { status: 0, headers: {}, destroyed: false, ended: false };
  const as = Object.assign(emitter, {
    writableLength: isTaken ? 0 : 1,
    writeHead: (status: number, headers: object) => Object.assign(state, { status, headers }),
    write(chunk: Uint8Array) {
      chunks.push(Buffer.from(chunk));
      return false;
    },
    end(chunk?: string | Uint8Array) {
      if (chunk !== undefined) chunks.push(Buffer.from(chunk as string));
      state.ended = true;
    },
    cork() {},
    destroy() {
      state.destroyed = true;
      emitter.emit('close');
    },
  });
  return {
    as: as as unknown as ServerResponse,
    drain: () => emitter.emit('drain'),
    emit: (event: string) => emitter.emit(event),
    written: () => chunks.reduce((sum, { length }) => sum + length, 0),
    text: () => Buffer.concat(chunks).toString(),
    status: () => state.status,
    headers: () => state.headers,
    destroyed: () => state.destroyed,
    ended: () => state.ended,
  };
}
