import { expect, test } from 'vitest';
import type { PresentedKey } from '../../src/domain/caller.ts';
import { createKeyLookups } from '../../src/request/key-lookups.ts';

const APPLICATION = { id: 'a', name: 'A' };
const CALLER = { application: APPLICATION, credentialId: 'right' };
const GUESSER = '192.0.2.1';
/** What is scheduled for longer bounds a wait. */
const LONGEST_PAUSE_MS = 1_000;

/** Statements and pauses end when the test ends them. */
function open() {
  const statements: { keys: readonly string[]; end: (error?: Error) => void }[] = [];
  const pauses: (() => void)[] = [];
  const failed: string[] = [];
  const timers = new Set<() => void>();
  let now = 0;
  const lookups = createKeyLookups({
    findCallers: (keys) =>
      new Promise((resolve, reject) => {
        const owners = keys.map(({ publicId }) =>
          publicId === 'right' ? { application: APPLICATION, keyId: publicId } : undefined,
        );
        const end = (error?: Error) => (error ? reject(error) : resolve(owners));
        statements.push({ keys: keys.map(({ publicId }) => publicId), end });
      }),
    failures: {
      slowBucketOf: (address) => (address.startsWith('192.0.2.') ? address : undefined),
      count: (address) => void failed.push(address),
    },
    clock: {
      now: () => now,
      schedule(ms, callback) {
        const pause = () => {
          now += ms;
          callback();
        };
        if (ms < LONGEST_PAUSE_MS) pauses.push(pause);
        else timers.add(callback);
        return () => timers.delete(callback);
      },
    },
  });
  const find = (publicId: string, address: string, isTrusted = false) =>
    lookups.find({ key: toKey(publicId), isTrusted, address });
  return { lookups, statements, pauses, failed, timers, find };
}

function toKey(publicId: string): PresentedKey {
  return { publicId, secret: 's', isGenuine: false };
}

async function turn(): Promise<void> {
  for (let step = 0; step < 10; step += 1) await Promise.resolve();
}

test('a key is looked up immediately; keys that arrive while two statements run share the next one', async () => {
  const { statements, find } = open();
  const found = ['right', 'a', 'b', 'c', 'right'].map((key) => find(key, '198.51.100.1'));
  expect(statements.map(({ keys }) => keys)).toEqual([['right'], ['a']]);
  statements[0]?.end();
  await turn();
  expect(statements[2]?.keys).toEqual(['b', 'c', 'right']);
  for (const { end } of statements) end();
  expect(await Promise.all(found)).toEqual([CALLER, undefined, undefined, undefined, CALLER]);
});

test('look-ups from an address with many failures wait in a slow queue, and right keys still succeed', async () => {
  const { statements, pauses, find } = open();
  const wrong = Array.from({ length: 1_000 }, (_, index) => find(`wrong ${index}`, GUESSER));
  const right = find('right', GUESSER);
  await turn();
  expect(statements).toEqual([]);
  const elsewhere = find('right', '198.51.100.1');
  const trusted = find('right', GUESSER, true);
  for (const { end } of statements) end();
  expect(await Promise.all([elsewhere, trusted])).toEqual([CALLER, CALLER]);
  statements.length = 0;
  while (pauses.length > 0) {
    pauses.shift()?.();
    await turn();
    statements.at(-1)?.end();
    await turn();
  }
  expect(await right).toEqual(CALLER);
  expect(new Set(await Promise.all(wrong))).toEqual(new Set([undefined]));
  expect(statements).toHaveLength(1);
});

test('the slow queue is shared equally by its addresses', async () => {
  const { statements, pauses, find } = open();
  for (const guesser of [GUESSER, '192.0.2.3', '192.0.2.4']) {
    for (let index = 0; index < 5_000; index += 1) void find(`wrong ${index}`, guesser);
  }
  const other = find('right', '192.0.2.2');
  pauses.shift()?.();
  await turn();
  expect(statements[0]?.keys).toContain('right');
  statements[0]?.end();
  expect(await other).toEqual(CALLER);
});

test('look-ups that the database does not answer in time are rejected with a time to retry, and no others', async () => {
  const { lookups, statements, pauses, timers, find } = open();
  const inStatement = find('right', GUESSER);
  pauses.shift()?.();
  await turn();
  const waiting = find('wrong', GUESSER);
  for (const end of [...timers]) end();
  const refused = { code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 };
  await expect(inStatement).rejects.toMatchObject(refused);
  await expect(waiting).rejects.toMatchObject(refused);
  expect(lookups.counts()).toEqual({ waiting: 0, slow: 0 });
  await expect(find('right', GUESSER)).rejects.toMatchObject(refused);
  const trusted = find('right', GUESSER, true);
  for (const { end } of statements) end();
  expect(await trusted).toEqual(CALLER);
  await turn();
  const later = find('right', GUESSER);
  pauses.shift()?.();
  await turn();
  statements.at(-1)?.end();
  expect(await later).toEqual(CALLER);
  expect(timers.size).toBe(0);
});

test('a look-up that is rejected between two statements does not keep later ones from being looked up', async () => {
  const { lookups, statements, pauses, timers, find } = open();
  const first = find('wrong', GUESSER);
  pauses.shift()?.();
  await turn();
  const late = find('wrong', GUESSER);
  statements[0]?.end();
  await first;
  for (const end of [...timers]) end();
  await expect(late).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(lookups.counts()).toEqual({ waiting: 0, slow: 0 });
  const later = find('right', GUESSER);
  pauses.at(-1)?.();
  await turn();
  statements.at(-1)?.end();
  expect(await later).toEqual(CALLER);
});

test('only failed look-ups are counted, with their address', async () => {
  const { statements, failed, find } = open();
  const found = [find('right', '198.51.100.1'), find('wrong', '198.51.100.2')];
  for (const { end } of statements) end();
  await Promise.all(found);
  expect(failed).toEqual(['198.51.100.2']);
});

test('a look-up that fails because the database is unavailable is not counted as a failed authentication', async () => {
  const { statements, failed, find } = open();
  const found = find('right', '198.51.100.1');
  statements[0]?.end(new Error('away'));
  await expect(found).rejects.toThrow('away');
  expect(failed).toEqual([]);
  const again = find('right', '198.51.100.1');
  statements[1]?.end();
  expect(await again).toEqual(CALLER);
});

test('the queues are bounded: look-ups beyond thousands are rejected with a time to retry', async () => {
  const { lookups, find } = open();
  const waiting = Array.from({ length: 6_000 }, (_, index) => find(`wrong ${index}`, GUESSER));
  const refused = await Promise.allSettled(waiting.slice(5_000));
  expect(refused.every(({ status }) => status === 'rejected')).toBe(true);
  await expect(waiting.at(-1)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    retryAfterMs: 1_000,
  });
  expect(lookups.counts()).toEqual({ waiting: 0, slow: 5_000 });
});
