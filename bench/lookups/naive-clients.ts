import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import { BATCH_READ, toBody } from '../contenders/hubspot.ts';

/** The usual implementation: one call per email. Neither client uses batches. */
export const NAIVE_CLIENTS: Readonly<Record<string, NaiveClient>> = { backOff, paceItself };

/**
 * Sends everything concurrently; a rejected call is retried after one second, then two, then four, with jitter, at
 * most ten.
 */
async function backOff({ emails, ...target }: NaiveWork): Promise<void> {
  const agent = createAgent();
  await Promise.all(
    emails.map(async (email) => {
      for (let attempt = 0; (await ask(agent, target, email)) === 429; attempt += 1) {
        const wait = Math.min(10_000, 1_000 * 2 ** attempt);
        await sleep(wait * (0.5 + Math.random() / 2));
      }
    }),
  );
  await agent.close();
}

/** Has the exact rate limit for itself: the fastest that one call per email can be. */
async function paceItself({ emails, perTenSeconds, ...target }: NaiveWork): Promise<void> {
  const agent = createAgent();
  for (let from = 0; from < emails.length; from += perTenSeconds) {
    if (from > 0) await sleep(10_000 + MARGIN_MS);
    const statuses = await Promise.all(
      emails.slice(from, from + perTenSeconds).map((email) => ask(agent, target, email)),
    );
    if (statuses.includes(429)) throw new Error('The client that paces itself was refused.');
  }
  await agent.close();
}

/** The next window starts when the last call of this one is ten seconds old. */
const MARGIN_MS = 20;

function createAgent(): Agent {
  return new Agent({ connections: 200, keepAliveTimeout: 20_000 });
}

async function ask(agent: Agent, { origin, token }: Target, email: string): Promise<number> {
  const { statusCode, body } = await agent.request({
    origin,
    path: BATCH_READ,
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: toBody([email]),
  });
  await body.dump();
  if (statusCode !== 200 && statusCode !== 429)
    throw new Error(`The sandbox answered ${statusCode}.`);
  return statusCode;
}

type NaiveClient = (work: NaiveWork) => Promise<void>;

interface Target {
  readonly origin: string;
  readonly token: string;
}

interface NaiveWork extends Target {
  readonly emails: readonly string[];
  readonly perTenSeconds: number;
}
