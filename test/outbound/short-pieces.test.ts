import { PassThrough } from 'node:stream';
import type { buildConnector } from 'undici';
import { expect, test } from 'vitest';
import { inShortPieces } from '../../src/outbound/http/short-pieces.ts';

/** A socket whose peer has sent this. */
function receive(text: string): PassThrough {
  const socket = new PassThrough({ highWaterMark: 10_000_000 });
  const connect = inShortPieces((_, callback) => callback(null, socket as never));
  connect({} as buildConnector.Options, () => {});
  socket.end(text);
  return socket;
}

function readAll(socket: PassThrough): string[] {
  const pieces: string[] = [];
  for (let piece = socket.read(); piece !== null; piece = socket.read()) pieces.push(String(piece));
  return pieces;
}

test('short lines are read in pieces, and nothing is lost', async () => {
  const text = 'a:\r\n'.repeat(10_000);
  const socket = receive(text);
  const pieces = readAll(socket);
  expect(pieces.join('')).toBe(text);
  expect(Math.max(...pieces.map((piece) => piece.split('\n').length - 1))).toBe(256);
  await new Promise((resolve) => socket.once('end', resolve).resume());
});

test('few lines are one piece, however long they are', () => {
  const text = `${'x'.repeat(100_000)}\n`.repeat(20);
  expect(readAll(receive(text))).toEqual([text]);
});

test('nothing is read of a socket that was closed within a piece', () => {
  const socket = receive('a:\r\n'.repeat(10_000));
  expect(socket.read()).toHaveLength(256 * 4);
  socket.destroy();
  expect(socket.read()).toBeNull();
});
