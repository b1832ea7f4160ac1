import { expect, test } from 'vitest';
import { openLink } from '../../src/workers/link.ts';
import { openLinks } from '../support/linked.ts';

test('each side answers the calls of the other, also several at once', async () => {
  const { left, right } = openLinks(
    { double: (value: number) => value * 2 },
    { greet: async (name: string) => `Hello ${name}` },
  );
  expect(
    await Promise.all([right.ask('double', 4), left.ask('greet', 'Ada'), right.ask('double', 5)]),
  ).toEqual([8, 'Hello Ada', 10]);
});

test('a call that fails rejects with its reason, and a call without an answer rejects nothing', async () => {
  const { left } = openLinks(
    {},
    {
      fail: (_nothing: null) => {
        throw new Error('no such worker');
      },
    },
  );
  left.tell('fail', null);
  await expect(left.ask('fail', null)).rejects.toThrow('no such worker');
});

test('calls without an answer reject when the other process ends, and so do later ones', async () => {
  const { left, close } = openLinks({}, { hang: (_nothing: null) => new Promise<void>(() => {}) });
  const asked = left.ask('hang', null);
  close();
  await expect(asked).rejects.toThrow('The other process has ended.');
  await expect(left.ask('hang', null)).rejects.toThrow('The other process has ended.');
  expect(left.isOpen()).toBe(false);
});

test('messages of Node, of tests and of unknown calls are ignored', async () => {
  const answered: object[] = [];
  let hear = (_message: unknown) => {};
  openLink(
    {
      send: (message) => void answered.push(message),
      onMessage: (listener) => {
        hear = listener;
      },
      onClose: () => {},
    },
    {},
  );
  for (const message of [null, 'measure', { cmd: 'NODE_CLUSTER' }, { call: 'stop', id: 1 }])
    hear(message);
  hear({ crossbook: true, reply: 7, value: 1 });
  hear({ crossbook: true, call: 'unknown', id: 1 });
  await expect.poll(() => answered).toEqual([{ crossbook: true, reply: 1, value: undefined }]);
});
