import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import type { Dice } from './dice.ts';

/** A type and a length, which counts itself. */
const HEADER = 5;

/**
 * A PostgreSQL server that sends what it should not: a proxy in front of a real one, which counts the messages of the
 * server, and adds faults between them as a script says.
 */
export async function openFaultyPostgres(url: string): Promise<FaultyPostgres> {
  const { host, port } = new pg.Client(url);
  const sockets = new Set<Socket>();
  let script: Script = [];
  let count = 0;
  let happened: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = host.startsWith('/')
      ? connect({ path: `${host}/.s.PGSQL.${port}`, allowHalfOpen: true })
      : connect({ host, port, allowHalfOpen: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
    }
    client.on('data', (chunk) => upstream.write(chunk)).on('end', () => upstream.end());
    const frames = new Frames();
    upstream.on('data', (chunk) => {
      for (const message of frames.take(chunk)) {
        if (client.destroyed || client.writableEnded) return;
        const type = String.fromCharCode(message[0] ?? 0);
        const fault = script.find(({ at }) => at === count || at === type);
        script = script.filter((one) => one !== fault);
        count += 1;
        if (fault) happened.push(fault.name);
        if (fault) fault.send(client, message);
        else client.write(message);
      }
    });
    upstream.on('end', () => client.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  return {
    port: ownPort,
    play(next) {
      script = next;
      count = 0;
      happened = [];
    },
    happened: () => happened,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Draws faults: the first messages of the server are its greeting, so that both it and statements are hit. */
export function drawScript(dice: Dice): Script {
  return Array.from({ length: 1 + dice.next(3) }, () => ({
    at: dice.next(dice.pick([20, 60, 200])),
    ...dice.pick(FAULTS)(dice),
  }));
}

const FAULTS: readonly ((dice: Dice) => Fault)[] = [
  toReport('FATAL', '57P01', { isReady: true }),
  toReport('FATAL', '57P01', { isReady: true, isEnd: true }),
  toReport('FATAL', '57P01', { isEnd: true }),
  toReport('FATAL', '25006', { isReady: true }),
  toReport('FATAL', '53300', {}),
  toReport('ERROR', '25006', { isReady: true }),
  toReport('ERROR', 'XX000', {}),
  toReport('ERROR', '40001', { isReady: true, isEnd: true }),
  (dice) => addition('a notice', dice, message('N', 'SNOTICE\0', 'C00000\0', 'Mhello\0', '\0')),
  (dice) => addition('a parameter', dice, message('S', 'TimeZone\0', 'Mars\0')),
  (dice) => addition('a notification', dice, message('A', bytes(4), 'channel\0', 'text\0')),
  (dice) => addition('a message of another moment', dice, drawMessage(dice)),
  (dice) => ({
    name: 'garbage',
    send: (client, next) => {
      if (dice.chance(50)) client.write(next);
      client.end(Buffer.from(Array.from({ length: 1 + dice.next(80) }, () => dice.next(256))));
    },
  }),
  (dice) => ({
    name: 'a malformed message',
    send: (client, next) => {
      const content = Buffer.from(Array.from({ length: dice.next(12) }, () => dice.next(256)));
      if (dice.chance(50)) client.write(next);
      client.end(message(dice.pick([...TYPES]), content));
    },
  }),
  (dice) => ({
    name: 'an error without an end',
    send: (client) => client.end(message(dice.pick(['E', 'N']), dice.pick(['', 'S', 'SERROR']))),
  }),
  (dice) => ({
    name: 'a truncated message',
    send: (client, next) => client.end(next.subarray(0, dice.next(next.length))),
  }),
  () => ({ name: 'the end', send: (client) => client.end() }),
  () => ({ name: 'a reset', send: (client) => client.resetAndDestroy() }),
];

/** An error, in the same packet as the message in whose place it comes. */
export function toReport(severity: string, code: string, { isReady = false, isEnd = false }) {
  const report = message(
    'E',
    `S${severity}\0`,
    `V${severity}\0`,
    `C${code}\0`,
    'Mscripted\0',
    '\0',
  );
  const name = [severity, code, isReady && 'ready', isEnd && 'end'].filter(Boolean).join(' ');
  return (dice: Dice): Fault => ({
    name,
    send(client, next) {
      // One write is one read of the client.
      const before = dice.chance(50) ? [next] : [];
      const after = isReady ? [message('Z', 'I')] : [];
      if (isEnd) client.end(Buffer.concat([...before, report, ...after]));
      else client.write(Buffer.concat([...before, report, ...after]));
    },
  });
}

function addition(name: string, dice: Dice, added: Buffer): Fault {
  const isFirst = dice.chance(50);
  return {
    name,
    send: (client, next) => client.write(Buffer.concat(isFirst ? [added, next] : [next, added])),
  };
}

/** A valid one, which a server would send in another state. */
function drawMessage(dice: Dice): Buffer {
  return dice.pick([
    message('R', bytes(4)),
    message('R', Buffer.from([0, 0, 0, 3])),
    message('R', Buffer.from([0, 0, 0, 5]), 'salt'),
    message('R', Buffer.from([0, 0, 0, 10]), 'SCRAM-SHA-256\0', '\0'),
    message('R', Buffer.from([0, 0, 0, 11]), 'r=x,s=eA==,i=1'),
    message('R', Buffer.from([0, 0, 0, 12]), 'v=x'),
    message('C', 'SELECT 1\0'),
    message('D', Buffer.from([0, 1, 0, 0, 0, 1]), 'x'),
    message('T', Buffer.from([0, 1]), 'id\0', bytes(18)),
    message('I'),
    message('1'),
    message('2'),
    message('3'),
    message('n'),
    message('s'),
    message('c'),
    message('G', bytes(3)),
    message('H', bytes(3)),
    message('W', bytes(3)),
    message('d', 'data'),
    message('K', bytes(8)),
  ]);
}

const TYPES = 'RSKZENTDCtA123InscGHWd';

function bytes(length: number): Buffer {
  return Buffer.alloc(length);
}

function message(type: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const header = Buffer.alloc(HEADER);
  header.write(type, 'latin1');
  header.writeUInt32BE(4 + content.length, 1);
  return Buffer.concat([header, content]);
}

/** Divides what a server sends into messages. */
class Frames {
  #rest = Buffer.alloc(0);

  take(chunk: Buffer): readonly Buffer[] {
    const messages: Buffer[] = [];
    let rest = Buffer.concat([this.#rest, chunk]);
    while (rest.length >= HEADER) {
      const length = 1 + rest.readUInt32BE(1);
      if (rest.length < length) break;
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
    this.#rest = rest;
    return messages;
  }
}

export interface FaultyPostgres {
  readonly port: number;
  /** The faults of what follows. */
  play(script: Script): void;
  /** The faults since then. */
  happened(): readonly string[];
  close(): Promise<void>;
}

/** Faults, and after how many messages of the server, over all of its connections, or at the first one of a type. */
export type Script = readonly (Fault & { readonly at: number | string })[];

interface Fault {
  readonly name: string;
  /** In place of this message. */
  send(client: Socket, next: Buffer): void;
}
