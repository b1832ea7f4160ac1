import { setTimeout as wait } from 'node:timers/promises';
import { ADA, type Target } from './open-target.ts';
import { send, toGraphQL } from './send.ts';

/** Another application that works normally during an attack: each of its requests must get the correct response. */
export function startBystander({ url, callers }: Target, everyMs = 50): Bystander {
  const tally = { served: 0, tookMs: [] as number[], failures: [] as string[] };
  let isStopped = false;
  const query = `{searchContacts(filter:{email:"${ADA}"}){nodes{firstName}}}`;
  const done = (async () => {
    while (!isStopped) {
      const request = toGraphQL({ query }, callers.neighbour);
      const { text, tookMs } = await send(url, request).catch((error) => ({
        text: String(error),
        tookMs: 0,
      }));
      if (text === SERVED) tally.served += 1;
      else tally.failures.push(text.slice(0, 500));
      tally.tookMs.push(tookMs);
      await wait(everyMs);
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await done;
      return tally;
    },
  };
}

const SERVED = '{"data":{"searchContacts":{"nodes":[{"firstName":"Ada"}]}}}';

export interface Bystander {
  stop(): Promise<Tally>;
}

interface Tally {
  readonly served: number;
  /** Per request. */
  readonly tookMs: readonly number[];
  readonly failures: readonly string[];
}
