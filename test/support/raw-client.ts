import { connect } from 'node:net';

/** Sends raw bytes to a port, and collects the received bytes until the connection ends. */
export function openRawClient(url: string): RawClient {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  let heard = '';
  socket.setEncoding('latin1').on('data', (text) => {
    heard += text;
  });
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(heard));
  });
  return {
    send: (text) => void socket.write(text),
    heard: () => heard,
    ended,
    close: () => void socket.destroy(),
  };
}

export interface RawClient {
  send(text: string | Uint8Array): void;
  heard(): string;
  /** All received bytes, once the other side has closed the connection. */
  readonly ended: Promise<string>;
  close(): void;
}
