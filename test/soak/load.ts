import { Agent, request } from 'node:http';
import type { Answer, Asked, Operation } from './operations.ts';

/** So many requests each second, whatever becomes of them, and a count of what did. */
export function startLoad({ url, headers, operations, perSecond }: LoadOptions): Load {
  const agent = new Agent({ keepAlive: true });
  const tally: Tally = { right: 0, codes: {}, wrong: [], skipped: 0 };
  const running = new Set<Promise<void>>();
  let due = 0;
  const timer = setInterval(() => {
    due += (perSecond * TICK_MS) / 1_000;
    for (; due >= 1; due--) {
      if (running.size >= MOST_AT_ONCE) tally.skipped += 1;
      else start();
    }
  }, TICK_MS);

  return {
    tally,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
      agent.destroy();
    },
  };

  function start(): void {
    const operation = choose(operations);
    const one = run(operation).finally(() => running.delete(one));
    running.add(one);
  }

  async function run(operation: Operation): Promise<void> {
    try {
      judge(operation, await send(operation.ask()));
    } catch (error) {
      wrong(operation, String(error));
    }
  }

  /** Right, or with codes that say what is wrong with somebody else. */
  function judge(operation: Operation, answer: Answer): void {
    const codes: string[] = (answer.errors ?? []).map((error: Answer) => (error.extensions ?? error).code);
    const isExpected = (code: string) => EXPECTED.test(code) || operation.expected?.includes(code);
    if (codes.length > 0 ? !codes.every(isExpected) : !operation.isRight(answer)) {
      wrong(operation, JSON.stringify(answer).slice(0, 500));
    } else if (codes[0] === undefined) tally.right += 1;
    else tally.codes[codes[0]] = (tally.codes[codes[0]] ?? 0) + 1;
  }

  function wrong({ name }: Operation, why: string): void {
    tally.wrong.push(`${name}: ${why}`);
  }

  function send({ method, path, body, headers: more }: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${url}${path}`,
        { agent, method, headers: { ...headers, ...more } },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.once('error', reject);
          incoming.once('end', () => {
            try {
              resolve(JSON.parse(Buffer.concat(chunks).toString()));
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      outgoing.once('error', reject);
      outgoing.end(JSON.stringify(body));
    });
  }
}

function choose(operations: readonly Operation[]): Operation {
  let left = Math.random() * operations.reduce((sum, { share }) => sum + share, 0);
  for (const operation of operations) {
    left -= operation.share;
    if (left < 0) return operation;
  }
  throw new Error('There are no operations.');
}

const TICK_MS = 20;
/** A client that has more than this under way has lost its patience. */
const MOST_AT_ONCE = 2_000;
const EXPECTED = /^(REMOTE_PROVIDER_[A-Z_]+|SERVICE_UNAVAILABLE)$/;

export interface Load {
  readonly tally: Tally;
  stop(): Promise<void>;
}

export interface Tally {
  right: number;
  /** Of answers that say what is wrong, by their first. */
  readonly codes: Record<string, number>;
  readonly wrong: string[];
  /** Not sent, because too many were under way. */
  skipped: number;
}

interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly operations: readonly Operation[];
  readonly perSecond: number;
}
