import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import {
  describeOnRedis,
  freshPrefix,
  HANGING_MS,
  openRedisProxy,
  until,
} from '../support/redis.ts';
import { toFetch } from '../support/to-fetch.ts';

/** Each is two calls to HubSpot's search, for the page and its total; five a second are allowed. */
const SEARCH = { filter: { email_domain: 'example.com' } };

describeOnRedis('two replicas on one PostgreSQL', () =>
  describe('Several replicas with one Redis', () => {
    let sandbox: Sandbox;
    let fresh: TestDatabase;
    let redis: Awaited<ReturnType<typeof openRedisProxy>>;
    const prefix = freshPrefix();
    const replicas: Replica[] = [];

    beforeAll(async () => {
      [sandbox, fresh, redis] = await Promise.all([
        openSandbox(),
        createTestDatabase(),
        openRedisProxy(),
      ]);
      for (let replica = 0; replica < 2; replica++) {
        replicas.push(
          await openReplica({
            url: fresh.url,
            redis: { url: redis.url, prefix, commandTimeoutMs: HANGING_MS },
            sandbox,
          }),
        );
      }
      sandbox.hubspot.demo.setLimits({ searchPerSecond: 5 });
    });
    afterAll(async () => {
      for (const { close } of replicas) await close();
      await redis.cut();
      await sandbox.close();
      await fresh.drop();
    });

    const search = (times: number) =>
      Array.from(
        { length: times },
        (_, index) => replicas[index % 2]?.search() ?? Promise.resolve(0),
      );
    const refused = () => sandbox.hubspot.demo.calls().filter(({ status }) => status === 429);

    test('share HubSpot’s rate limit: HubSpot rejects none of their calls', async () => {
      expect(await Promise.all(search(12))).toEqual(Array(12).fill(200));
      expect(sandbox.hubspot.demo.callCount()).toBe(24);
      expect(refused()).toEqual([]);
    });

    test('keep responding when Redis stops, each with its share of the limit, and log it once', async () => {
      sandbox.hubspot.demo.resetCalls();
      const answers = search(12);
      await Promise.race(answers);
      await redis.cut();
      expect(await Promise.all(answers)).toEqual(Array(12).fill(200));
      for (const { log } of replicas) expect(countLines(log, 'Redis is unreachable')).toBe(1);
    });

    test('share the limit again once Redis is back', async () => {
      await redis.mend();
      await until(() =>
        replicas.every(({ log }) => countLines(log, 'Redis is reachable again') === 1),
      );
      sandbox.hubspot.demo.resetCalls();
      expect(await Promise.all(search(6))).toEqual(Array(6).fill(200));
      expect(refused()).toEqual([]);
    });
  }),
);

async function openReplica({ url, redis, sandbox }: ReplicaOptions): Promise<Replica> {
  const log: string[] = [];
  const config = {
    ...readConfig({}),
    database: { url },
    keys: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    redis,
    providerDeadlineMs: HANGING_MS,
  };
  const app = await createApp(
    config,
    { output: { write: (line) => log.push(line) }, readable: false },
    { sandbox },
  );
  const headers = {
    'content-type': 'application/json',
    'x-api-key': app.demo?.key ?? '',
    'x-customer-id': 'demo',
    'x-provider-name': 'hubspot',
  };
  const search = async () => {
    const request = new Request('http://crossbook.test/contacts/_search?page_size=2', {
      method: 'POST',
      headers,
      body: JSON.stringify(SEARCH),
    });
    return (await toFetch(app.answer)(request)).status;
  };
  return { log, search, close: app.close };
}

function countLines(log: readonly string[], message: string): number {
  return log.filter((line) => line.includes(message)).length;
}

interface Replica {
  readonly log: readonly string[];
  /** The status of the response. */
  search(): Promise<number>;
  close(): Promise<void>;
}

interface ReplicaOptions {
  readonly url: string;
  readonly redis: {
    readonly url: string;
    readonly prefix: string;
    readonly commandTimeoutMs: number;
  };
  readonly sandbox: Sandbox;
}
