import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** The first messages of a server with TLS 1.2, which no key is needed for: its choices, and any certificates. */
export function toHello(): Buffer {
  const choices = Buffer.from(`0303${'07'.repeat(32)}00c02b00`, 'hex');
  // It supports secure renegotiation, which OpenSSL insists on.
  return toRecord(toMessage(2, choices, Buffer.from('0005ff01000100', 'hex')));
}

export function toCertificates(...certificates: readonly Buffer[]): Buffer {
  const list = certificates.flatMap((bytes) => [toLength(bytes.length), bytes]);
  const { length } = Buffer.concat(list);
  return toRecord(toMessage(11, toLength(length), ...list));
}

/** Messages may continue in the next record. */
function toRecord(content: Buffer): Buffer {
  const records: Buffer[] = [];
  for (let at = 0; at < content.length; at += MAX_RECORD) {
    const piece = content.subarray(at, at + MAX_RECORD);
    records.push(Buffer.from([22, 3, 3, piece.length >> 8, piece.length & 0xff]), piece);
  }
  return Buffer.concat(records);
}

function toMessage(type: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([type]), toLength(body.length), body]);
}

function toLength(length: number): Buffer {
  return Buffer.from([length >> 16, (length >> 8) & 0xff, length & 0xff]);
}

const MAX_RECORD = 16 * 1024;

/** Listens on loopback; errors of its connections are those of tests. */
export async function listenOnLoopback(server: Server): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server that sends this as soon as it has received something. */
export function openReplying(...pieces: readonly Buffer[]): Promise<LoopbackServer> {
  return listenOnLoopback(
    createServer((socket) => {
      socket.once('data', () => {
        for (const piece of pieces) socket.write(piece);
      });
    }),
  );
}

export interface LoopbackServer {
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  close(): Promise<void>;
}
