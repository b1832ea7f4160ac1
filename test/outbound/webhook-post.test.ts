import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createWebhookPost } from '../../src/outbound/webhooks/post.ts';
import { openReceiver } from '../support/webhook-receiver.ts';

test('a receiver that sends informational responses without end has failed after some of them', async () => {
  const receiver = await openReceiver(({ socket }) => {
    const some = 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'.repeat(100);
    const write = () => {
      while (socket && !socket.destroyed && socket.write(some));
    };
    socket?.on('drain', write).on('error', () => undefined);
    write();
  });
  const post = createWebhookPost({ clock: systemClock, mayLoopback: true });
  const outcome = await post.send({ url: receiver.url, headers: {}, body: '{}' });
  expect(outcome).toEqual({
    kind: 'failed',
    reason: 'too many informational responses (HTTP 1xx)',
  });
  await post.close();
  await receiver.close();
});

test('of a body without end no more than the beginning is read', async () => {
  let sent = 0;
  const receiver = await openReceiver((response) => {
    const write = () => {
      if (response.destroyed) return;
      response.write('x'.repeat(100));
      sent += 100;
      setImmediate(write);
    };
    write();
  });
  const post = createWebhookPost({ clock: systemClock, mayLoopback: true });
  const outcome = await post.send({ url: receiver.url, headers: {}, body: '{}' });
  expect(outcome).toEqual({ kind: 'arrived', status: 200, read: expect.any(Buffer) });
  expect(sent).toBeLessThan(8 * 1024);
  await post.close();
  await receiver.close();
});
