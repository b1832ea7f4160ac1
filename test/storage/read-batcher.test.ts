import { expect, test } from 'vitest';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import { toUnavailable } from '../../src/storage/engine/failures.ts';
import { createReadBatcher, type Reserving } from '../../src/storage/statement-batcher.ts';
import { settle } from '../support/clock.ts';

test('one application has few concurrent statements, whatever its number of reads, and another’s start immediately', async () => {
  const { read, statements, answer } = open();
  const asked = Array.from({ length: 30 }, (_, index) => read('large', [`c${index}`, 'same']));
  void read('small', ['x']);
  expect(statements.map(({ name }) => name)).toEqual(['large c0,same', 'large c1,same', 'small x']);
  answer(0);
  await settle();
  expect(statements[3]?.name.split(',')).toHaveLength(29);
  answer(1);
  answer(3);
  const found = await Promise.all(asked);
  expect(found).toEqual(found.map((_, index) => [`c${index}!`, 'same!']));
});

test('a read of no ids, or of none that can be stored, sends no statement', async () => {
  const { read, statements } = open();
  expect(await read('a', [])).toEqual([]);
  expect(await read('a', ['\0', '\0x'])).toEqual([undefined, undefined]);
  expect(statements).toEqual([]);
});

test('a failed statement gives each of its reads a separate error', async () => {
  const { read, statements, fail } = open();
  const asked = ['1', '2', '3', '4'].map((id) => read('a', [id]).catch((error) => error));
  fail(0);
  await settle();
  expect(statements).toHaveLength(3);
  fail(1);
  fail(2);
  const errors = (await Promise.all(asked)) as { readonly id: string; readonly code: string }[];
  expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['SERVICE_UNAVAILABLE']));
  expect(new Set(errors.map(({ id }) => id)).size).toBe(4);
});

test('a read that waits for a heavy place keeps no other read of its statement waiting, and reads its rest when it has one', async () => {
  const { read, statements, answer } = open();
  for (const id of ['1', '2']) void read('a', [id]);
  let free = () => {};
  const place = new Promise<void>((resolve) => {
    free = resolve;
  });
  let counted = 0;
  const waits = { read: () => (counted++ === 0 ? place : undefined) };
  const waiting = read('a', ['3', '4'], waits);
  const other = read('a', ['3']);
  answer(0);
  await settle();
  expect(statements[2]?.name).toBe('a 3,4');
  answer(2, ['4']);
  expect(await other).toEqual(['3!']);
  await settle();
  expect(statements).toHaveLength(3);
  free();
  await settle();
  answer(3);
  expect(await waiting).toEqual(['3!', '4!']);
});

/** A fake database whose statements the test resolves. */
function open() {
  const statements: Statement[] = [];
  const readFor = createReadBatcher<string, string>({
    keyOf: (id) => id,
    read: (applicationId, ids) =>
      new Promise((resolve, reject) => {
        const name = `${applicationId} ${ids.join()}`;
        statements.push({
          name,
          answer(unread) {
            const known = ids.filter((id) => !unread.includes(id));
            const records = new Map(known.map((id) => [id, { record: `${id}!`, bytes: 10 }]));
            resolve({ records, unread });
          },
          fail: () => reject(toUnavailable('gone')),
        });
      }),
  });
  return {
    read: (applicationId: string, ids: readonly string[], work: Reserving = BACKGROUND_WORK) =>
      readFor(applicationId, ids, work),
    statements,
    answer: (index: number, unread: readonly string[] = []) => statements[index]?.answer(unread),
    fail: (index: number) => statements[index]?.fail(),
  };
}

interface Statement {
  readonly name: string;
  answer(unread: readonly string[]): void;
  fail(): void;
}
