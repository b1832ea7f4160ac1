import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * A keep-alive HTTP connection with one request at a time. It parses just enough HTTP to find the end of a
 * response, so that the load generator costs little.
 */
export async function openConnection(host: string, port: number): Promise<Connection> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  let answer = startAnswer();
  let settle: Settle | undefined;

  socket.on('data', (chunk: Buffer) => {
    if (!isComplete(answer, chunk)) return;
    const { status, size, head } = answer;
    answer = startAnswer();
    if (status === 200) settle?.resolve(size);
    else settle?.reject(new Error(`An answer of ${status}: ${head.slice(0, 2_000)}`));
  });
  socket.on('error', (error) => settle?.reject(error));
  socket.on('close', () => settle?.reject(new Error('The connection was closed.')));

  return {
    ask: (message) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(message);
      }),
    close() {
      settle = undefined;
      socket.destroy();
    },
  };
}

/** By Content-Length, or by the terminating chunk: JSON never ends with that. */
function isComplete(answer: Answer, chunk: Buffer): boolean {
  answer.size += chunk.length;
  if (answer.end === undefined) {
    answer.head += chunk.toString('latin1');
    const end = answer.head.indexOf('\r\n\r\n');
    if (end < 0) return false;
    answer.status = Number(answer.head.slice(9, 12));
    const [, length] = /\r\ncontent-length: *(\d+)/i.exec(answer.head.slice(0, end)) ?? [];
    answer.end = length === undefined ? CHUNKED : end + 4 + Number(length);
  }
  return answer.end === CHUNKED ? chunk.subarray(-5).equals(LAST_CHUNK) : answer.size >= answer.end;
}

function startAnswer(): Answer {
  return { head: '', size: 0, status: 0, end: undefined };
}

const CHUNKED = -1;
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export interface Connection {
  /** Resolves with the size of the response; rejects unless its status is 200. */
  ask(message: Buffer): Promise<number>;
  close(): void;
}

interface Answer {
  head: string;
  size: number;
  status: number;
  /** The offset of its end, including the headers. */
  end: number | undefined;
}

interface Settle {
  resolve(size: number): void;
  reject(error: Error): void;
}
