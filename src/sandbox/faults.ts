import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import {
  type Answer,
  type Headers,
  jsonAnswer,
  type SandboxRequest,
  sendAnswer,
  textAnswer,
} from './http.ts';

/** Something that goes wrong with an answer, whichever the CRM. */
export type Fault =
  /** This instead of the real answer. A string is sent as it is (HTML unless a content-type says so), the rest as JSON. */
  | { readonly kind: 'answer'; readonly status: number; readonly body?: unknown; readonly headers?: Headers }
  /** The request is taken, and nothing is ever sent. */
  | { readonly kind: 'hang' }
  /** Headers and half of the body, and then nothing. */
  | { readonly kind: 'stall' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** The connection is reset: before anything was sent, or in the middle of the body. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'reset-midway' }
  /** A complete HTTP answer whose JSON ends in the middle. */
  | { readonly kind: 'truncated' }
  /** The real answer with its lists emptied, or with the second half of them gone. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'partial' }
  /** A JSON body that is far too long, plain or as a small compressed one. */
  | { readonly kind: 'oversized'; readonly megabytes: number }
  | { readonly kind: 'gzip-bomb'; readonly megabytes: number };

/** Some say a time of day: they are made when they are ordered. */
export type NamedFault = Fault | ((now: number) => Fault);

/** Faults in waiting: the first that fits a call is used up by it. */
export function createFaultQueue(): FaultQueue {
  let rules: Rule[] = [];
  return {
    add(fault, { times = 1, after = 0, operation } = {}) {
      rules.push({ fault, times, after, operation });
    },
    take(operation) {
      const rule = rules.find((one) => one.operation === undefined || one.operation === operation);
      if (rule === undefined) return undefined;
      if (rule.after > 0) {
        rule.after -= 1;
        return undefined;
      }
      rule.times -= 1;
      if (rule.times <= 0) rules = rules.filter((one) => one !== rule);
      return rule.fault;
    },
    clear() {
      rules = [];
    },
  };
}

/** Sends what the fault makes of the answer, and says the status that the client saw (0: none). */
export async function sendFault({ fault, request, response, produce }: Faulty): Promise<number> {
  const send = (answer: Answer): number => {
    sendAnswer(request, response, answer);
    return answer.status;
  };
  switch (fault.kind) {
    case 'answer':
      return send(toAnswer(fault));
    case 'hang':
      return 0;
    case 'reset':
      response.socket?.resetAndDestroy();
      return 0;
    case 'slow':
      await delay(fault.delayMs, response);
      return response.destroyed ? 0 : send(await produce());
    case 'stall':
    case 'reset-midway':
      return sendHalf(response, await produce(), fault.kind === 'reset-midway');
    case 'truncated':
      return send(cut(await produce()));
    case 'empty':
    case 'partial':
      return send(thin(await produce(), fault.kind === 'empty' ? 0 : 0.5));
    case 'oversized':
    case 'gzip-bomb':
      return sendTooMuch(response, fault);
  }
}

function toAnswer({ status, body, headers }: Extract<Fault, { kind: 'answer' }>): Answer {
  return typeof body === 'string'
    ? textAnswer(status, body, headers)
    : jsonAnswer(status, body ?? {}, headers);
}

function delay(milliseconds: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function sendHalf(response: ServerResponse, answer: Answer, reset: boolean): number {
  const body = Buffer.from(answer.body);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': body.length });
  response.write(body.subarray(0, body.length / 2), () => {
    if (reset) response.socket?.resetAndDestroy();
  });
  return answer.status;
}

function cut(answer: Answer): Answer {
  return { ...answer, body: Buffer.from(answer.body).subarray(0, answer.body.length / 2) };
}

function thin(answer: Answer, share: number): Answer {
  const value: unknown = JSON.parse(answer.body.toString());
  if (typeof value !== 'object' || value === null) return answer;
  const keep = (item: unknown): unknown =>
    Array.isArray(item) ? item.slice(0, Math.floor(item.length * share)) : item;
  const thinned = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, keep(item)]));
  return { ...answer, body: JSON.stringify(thinned) };
}

/** Written as fast as the client reads, and no longer than it stays. A packed body repeats one megabyte packed once. */
function sendTooMuch(
  response: ServerResponse,
  fault: Extract<Fault, { kind: 'oversized' | 'gzip-bomb' }>,
): number {
  const zipped = fault.kind === 'gzip-bomb';
  response.writeHead(200, {
    'content-type': 'application/json;charset=utf-8',
    ...(zipped && { 'content-encoding': 'gzip' }),
  });
  const pack = (bytes: Buffer) => (zipped ? gzipSync(bytes) : bytes);
  const megabyte = pack(Buffer.alloc(1024 * 1024, ' '));
  let left = fault.megabytes;
  const pump = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(megabyte)) return;
    }
    response.end(pack(Buffer.from('}')));
  };
  response.on('drain', pump);
  response.write(pack(Buffer.from('{"results":[]')));
  pump();
  return 200;
}

export interface FaultQueue {
  add(fault: Fault, when?: FaultTiming): void;
  take(operation: string): Fault | undefined;
  clear(): void;
}

export interface FaultTiming {
  /** How many calls it meets; 1 unless told. */
  readonly times?: number | undefined;
  /** How many fitting calls go well first. */
  readonly after?: number | undefined;
  /** Only calls of this operation. */
  readonly operation?: string | undefined;
}

interface Rule {
  readonly fault: Fault;
  readonly operation: string | undefined;
  times: number;
  after: number;
}

interface Faulty {
  readonly fault: Fault;
  readonly request: SandboxRequest;
  readonly response: ServerResponse;
  /** The answer as it would have been. */
  readonly produce: () => Answer | Promise<Answer>;
}
