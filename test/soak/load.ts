import { Agent, type ClientRequest, request } from 'node:http';
import type { Judge } from './judge.ts';
import type { Answer, HttpRequest, Operation } from './operations.ts';

/** Sends this many requests per second, whatever their outcome. */
export function startLoad({ url, headers, operations, perSecond, room, judge }: LoadOptions): Load {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const running = new Set<Promise<void>>();
  let due = 0;
  let fullAt = Number.NEGATIVE_INFINITY;
  const timer = setInterval(() => {
    due += (perSecond * TICK_MS) / 1_000;
    for (; due >= 1; due--) {
      if (running.size >= MOST_AT_ONCE) judge.tally.skipped += 1;
      else start();
    }
  }, TICK_MS);

  return {
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
    if (running.size >= room) fullAt = performance.now();
  }

  async function run(operation: Operation): Promise<void> {
    const sentAt = performance.now();
    const { method, path, body, headers: more } = operation.ask();
    const outgoing = request(`${url}${path}`, { agent, method, headers: { ...headers, ...more } });
    const times = () => {
      if (running.size >= room) fullAt = performance.now();
      const { reusedSocket: isReused } = outgoing;
      return { sentAt, answeredAt: performance.now(), wasFull: fullAt >= sentAt, isReused };
    };
    try {
      judge.answered(operation, await exchange(outgoing, body), times());
    } catch (error) {
      judge.failed(operation, error, times());
    }
  }
}

function exchange(outgoing: ClientRequest, body: HttpRequest['body']): Promise<Answer> {
  return new Promise((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
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
    });
    outgoing.end(JSON.stringify(body));
  });
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
/** With more requests in flight than this, the client skips further ones. */
const MOST_AT_ONCE = 2_000;
/**
 * Shorter than the product's keep-alive timeout, so that no request is sent on a connection that is about to close.
 */
const IDLE_MS = 60_000;

export interface Load {
  stop(): Promise<void>;
}

interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly operations: readonly Operation[];
  readonly perSecond: number;
  /** The product's concurrency limit. */
  readonly room: number;
  readonly judge: Judge;
}
