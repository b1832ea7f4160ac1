import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { Delivery } from '../../src/domain/event.ts';
import { openWebhookSender } from '../../src/outbound/webhooks/sender.ts';
import { createFakeClock, settle } from '../support/clock.ts';
import { openReceiver } from '../support/webhook-receiver.ts';

test('an outcome that cannot be recorded begins no further attempts, and the lease is released after the running ones', async () => {
  const held: ServerResponse[] = [];
  const receiver = await openReceiver((response) => {
    held.push(response);
    if (held.length === 4) held.shift()?.end();
  });
  const log: string[] = [];
  const errors: unknown[] = [];
  let hasReleased = () => {};
  const released = new Promise<void>((resolve) => {
    hasReleased = resolve;
  });
  const endpoint = { id: 'endpoint', applicationId: 'a', url: receiver.url, failures: 0 };
  const claims = [[{ ...endpoint, secrets: ['whsec_AAAA'] }]];
  const sender = openWebhookSender({
    queue: {
      claim: async () => claims.pop() ?? [],
      read: async () => ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(toDelivery),
      async succeed() {
        if (log.push('recorded') > 1) return;
        setImmediate(async () => {
          await settle();
          for (const response of held) response.end();
        });
        throw new Error('the database is away');
      },
      async release() {
        log.push('released');
        hasReleased();
      },
      keepResponse: async () => undefined,
      fail: unexpected,
      look: unexpected,
      count: unexpected,
      listFailing: unexpected,
    },
    clock: createFakeClock(),
    mayLoopback: true,
    keepsResponses: false,
    onAttempt: () => {},
    onError: (error) => void errors.push(error),
  });
  await sender.pump();
  await released;
  expect(log).toEqual(['recorded', 'recorded', 'recorded', 'recorded', 'released']);
  expect(errors).toEqual([new Error('the database is away')]);
  await sender.stop();
  expect(receiver.calls).toHaveLength(4);
  await receiver.close();
});

/** Each of another customer, so that they are sent concurrently. */
function toDelivery(name: string): Delivery {
  return {
    applicationId: 'a',
    endpointId: 'endpoint',
    eventId: name,
    customerId: name,
    attempts: 0,
    version: 0,
    body: '{}',
  };
}

function unexpected(): never {
  throw new Error('This is not called.');
}
