import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { LOWEST } from '../target/apart.ts';
import { ELSEWHERE, type HttpRequest, send } from '../target/send.ts';

/**
 * Sends one request repeatedly from a process of its own, ignoring the outcome. Returns a function that stops it.
 */
export async function startLoad(load: Load): Promise<() => Promise<void>> {
  const child = fork(fileURLToPath(import.meta.url), [LOAD, JSON.stringify(load)]);
  setPriority(child.pid ?? 0, LOWEST);
  return async () => {
    child.send('end');
    await once(child, 'exit');
  };
}

async function sendAll({ url, request, perSecond, atOnce }: Load): Promise<void> {
  const under = new Set<Promise<unknown>>();
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  let due = 0;
  /** Each response triggers the next request, within the rate. */
  const refill = () => {
    for (; !isOver && due >= 1 && under.size < atOnce; due -= 1) {
      const one: Promise<unknown> = send(url, { ...request, from: ELSEWHERE })
        .catch(() => undefined)
        .finally(() => {
          under.delete(one);
          refill();
        });
      under.add(one);
    }
  };
  while (!isOver) {
    due = Math.min(due + perSecond / 50, perSecond / 10);
    refill();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await Promise.all(under);
  process.disconnect();
}

const LOAD = 'load';
const [, , name, text = ''] = process.argv;
if (name === LOAD) await sendAll(JSON.parse(text) as Load);

export interface Load {
  readonly url: string;
  readonly request: HttpRequest;
  readonly perSecond: number;
  /** The maximum of requests in flight. */
  readonly atOnce: number;
}
