import { randomUUID } from 'node:crypto';

/** Upserts of new customers and searches in turn, at this rate. A request is not repeated. */
export function startLoad({ url, key }: { url: string; key: string }, perSecond: number): Load {
  const answers: Answer[] = [];
  const running = new Set<Promise<void>>();
  let count = 0;
  const timer = setInterval(() => {
    const one: Promise<void> = ask(count++)
      .then((answer) => void answers.push(answer))
      .finally(() => running.delete(one));
    running.add(one);
  }, 1_000 / perSecond);
  return {
    answers,
    async stop() {
      clearInterval(timer);
      await Promise.all(running);
    },
  };

  async function ask(number: number): Promise<Answer> {
    const id = number % 2 === 0 ? randomUUID() : undefined;
    const sentAt = performance.now();
    const end = (rest: Omit<Answer, 'id' | 'sentAt' | 'endedAt'>): Answer => ({
      id,
      sentAt,
      endedAt: performance.now(),
      ...rest,
    });
    try {
      const response = id
        ? await send('PUT', '/customers', { customer_id: id, name: id, email: 'a@example.com' })
        : await send('POST', '/contacts/_search', { filter: { email: 'ada@example.com' } });
      const text = await response.text();
      const { status } = response;
      const isRight = status === 200 && (id ? text.includes(id) : text.includes('"Ada"'));
      if (isRight) return end({ isRight, outcome: '200', problem: undefined });
      const code = readCode(text);
      return end({
        isRight,
        outcome: code ? `${status} ${code}` : String(status),
        problem:
          code === undefined
            ? `not our error: ${status} ${text.slice(0, 100)}`
            : status === 503 && !response.headers.has('retry-after')
              ? '503 without Retry-After'
              : undefined,
      });
    } catch (error) {
      const cause = error instanceof Error && error.cause ? error.cause : error;
      const reason = String(Reflect.get(Object(cause), 'code') ?? cause);
      return end({ isRight: false, outcome: `no response (${reason})`, problem: undefined });
    }
  }

  function send(method: string, path: string, body: object): Promise<Response> {
    return fetch(`${url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-api-key': key,
        // HAProxy sends requests that name a customer to one host, and all others to each host in turn.
        ...(method === 'POST' && { 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(HANG_MS),
    });
  }
}

function readCode(text: string): string | undefined {
  try {
    const { errors } = JSON.parse(text) as { errors?: { code?: string; detail?: string }[] };
    return errors?.[0]?.detail === undefined ? undefined : errors[0].code;
  } catch {
    return undefined;
  }
}

/** Longer than any response may take. */
const HANG_MS = 60_000;

export interface Answer {
  /** Of the customer, for an upsert. */
  readonly id: string | undefined;
  readonly sentAt: number;
  readonly endedAt: number;
  readonly isRight: boolean;
  /** The status and code, or why there is none. */
  readonly outcome: string;
  /** What no fault excuses. */
  readonly problem: string | undefined;
}

export interface Load {
  readonly answers: readonly Answer[];
  stop(): Promise<void>;
}
