import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker } from '../support/worker.ts';
import { openConnection } from './connection.ts';

/**
 * Sends sequential requests over each of its connections for a period, and counts the responses: as many as possible,
 * or so many a second.
 */
startWorker({}, { run });

async function run(load: Load): Promise<LoadResult> {
  const { url, connections, requests, perSecond, count = Number.POSITIVE_INFINITY } = load;
  const messages = requests.map(toMessage);
  const { hostname, port } = new URL(url);
  const started = performance.now();
  const end = load.count === undefined ? started + load.seconds * 1_000 : Number.POSITIVE_INFINITY;
  const latencies: number[] = [];
  let bytes = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await openConnection(hostname, Number(port));
      while (performance.now() < end && next < count) {
        const number = next++;
        if (perSecond !== undefined) await waitUntil(started + (number * 1_000) / perSecond);
        const message = messages[number % messages.length] as Buffer;
        const sent = performance.now();
        const size = await connection.ask(message);
        bytes += size;
        latencies.push(performance.now() - sent);
      }
      connection.close();
    }),
  );
  return {
    answers: latencies.length,
    bytes,
    seconds: (performance.now() - started) / 1_000,
    ...spread(latencies),
  };

  function toMessage({ path, headers, body }: LoadRequest): Buffer {
    const lines = Object.entries({
      host: new URL(url).host,
      ...headers,
      'content-length': String(Buffer.byteLength(body)),
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  }
}

async function waitUntil(moment: number): Promise<void> {
  const ms = moment - performance.now();
  if (ms > 0) await sleep(ms);
}

function spread(latencies: number[]): Pick<LoadResult, 'p50' | 'p99'> {
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Ends after so many responses, in place of the seconds. */
  readonly count?: number | undefined;
  /** Sent in rotation. */
  readonly requests: readonly LoadRequest[];
  /** Absent: each connection sends its next request when it has the response. */
  readonly perSecond?: number;
}

export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LoadResult {
  readonly answers: number;
  readonly bytes: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}
