import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createWebhookPost, createWebhookUrlCheck } from '../../src/outbound/webhooks/post.ts';
import { openReceiver, withStatus } from '../support/webhook-receiver.ts';

const at = (address: string) => async () => [{ address, family: address.includes(':') ? 6 : 4 }];
const PRIVATE = [
  '10.0.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '192.168.1.1',
  '::1',
  'fd00::1',
  '::ffff:10.0.0.1',
];

describe('a webhook’s address', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(() => Promise.all(closing.map((close) => close())));

  test.each(PRIVATE)(
    'is rejected if it resolves to %s, when the endpoint is created and when an event is sent',
    async (address) => {
      const check = createWebhookUrlCheck({ mayLoopback: false, lookup: at(address) });
      expect(await check('https://hooks.example.com/')).toHaveProperty('problem');
      const post = createWebhookPost({
        clock: systemClock,
        mayLoopback: false,
        lookup: at(address),
      });
      closing.push(post.close);
      const sent = await post.send({ url: 'https://hooks.example.com/', headers: {}, body: '{}' });
      expect(sent).toEqual({ kind: 'failed', reason: 'the host has no public address' });
    },
  );

  test.each(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT', 'EAI_AGAIN'])(
    'is reported as a name that cannot be resolved if its name server answers %s',
    async (code) => {
      const lookup = async () => Promise.reject(Object.assign(new Error(code), { code }));
      const post = createWebhookPost({ clock: systemClock, mayLoopback: false, lookup });
      closing.push(post.close);
      const sent = await post.send({ url: 'https://hooks.example.com/', headers: {}, body: '{}' });
      expect(sent).toEqual({ kind: 'failed', reason: 'the host’s name cannot be resolved' });
    },
  );

  test('is accepted on this machine only while the sandbox is on', async () => {
    const receiver = await openReceiver(withStatus(200));
    closing.push(receiver.close);
    for (const mayLoopback of [true, false]) {
      const post = createWebhookPost({ clock: systemClock, mayLoopback });
      closing.push(post.close);
      const check = createWebhookUrlCheck({ mayLoopback });
      expect('url' in (await check(receiver.url))).toBe(mayLoopback);
      const { kind } = await post.send({ url: receiver.url, headers: {}, body: '{}' });
      expect(kind).toBe(mayLoopback ? 'arrived' : 'failed');
    }
    expect(receiver.calls.length).toBe(1);
  });

  test.each([
    'http://hooks.example.com/',
    'https://93.184.216.34/',
    'https://[2606:4700::1]/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://user:secret@hooks.example.com/',
    'https://hooks.example.com/#fragment',
    'ftp://hooks.example.com/',
    'hooks.example.com',
    `https://hooks.example.com/${'a'.repeat(2_048)}`,
  ])('%s is rejected', async (url) => {
    const check = createWebhookUrlCheck({ mayLoopback: true, lookup: at('93.184.216.34') });
    expect(await check(url)).toHaveProperty('problem');
  });

  test('is accepted if its name does not resolve yet', async () => {
    const lookup = async () => Promise.reject(new Error('ENOTFOUND'));
    const check = createWebhookUrlCheck({ mayLoopback: false, lookup });
    expect(await check('https://hooks.example.com/a')).toEqual({
      url: 'https://hooks.example.com/a',
    });
  });
});
