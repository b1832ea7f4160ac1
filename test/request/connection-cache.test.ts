import { describe, expect, test, vi } from 'vitest';
import { createHeavyPlaces } from '../../src/admission/heavy-places.ts';
import { RequestQueue } from '../../src/admission/request-queue.ts';
import { systemClock } from '../../src/lib/clock.ts';
import {
  CONNECTION_MAX_AGE_MS,
  createConnectionCache,
} from '../../src/request/connection-cache.ts';
import { createOpenContext } from '../../src/request/context.ts';
import { createConnection } from '../support/connection.ts';
import { createFakeRequestState } from '../support/fake-request-log.ts';
import { API_KEYS, createFakeServices } from '../support/fake-services.ts';

const target = { customerId: 'ada', providerName: 'hubspot' } as const;

function open() {
  let now = 0;
  const connections = createConnectionCache({ now: () => now });
  const load = vi.fn(async () => createConnection('hubspot'));
  const advance = (byMs: number) => {
    now += byMs;
  };
  return { connections, load, advance };
}

test('a connection is loaded once in some seconds', async () => {
  const { connections, load, advance } = open();
  await Promise.all([1, 2].map(() => connections.find('app', target, load)));
  await connections.find('app', target, load);
  expect(load).toHaveBeenCalledTimes(1);
  advance(CONNECTION_MAX_AGE_MS);
  await connections.find('app', target, load);
  expect(load).toHaveBeenCalledTimes(2);
});

test('another application, customer or provider has another connection', async () => {
  const { connections, load } = open();
  await connections.find('app', target, load);
  await connections.find('other', target, load);
  await connections.find('app', { ...target, customerId: 'bob' }, load);
  await connections.find('app', { ...target, providerName: 'salesforce' }, load);
  expect(load).toHaveBeenCalledTimes(4);
});

test('a changed connection is loaded again, even while a load is running', async () => {
  const { connections, load } = open();
  await connections.find('app', target, load);
  connections.forget('app', target);
  const underWay = connections.find('app', target, load);
  connections.forget('app', target);
  await underWay;
  await connections.find('app', target, load);
  expect(load).toHaveBeenCalledTimes(3);
});

describe('a request that shares the load of another one', () => {
  const TARGET = { customerId: 'demo', providerName: 'hubspot' } as const;

  /** Opens requests whose connections are read only when the test says so. */
  async function openRequests() {
    const { services, tenant, requestLog } = await createFakeServices();
    const reads: (() => void)[] = [];
    const heavy = createHeavyPlaces({ clock: systemClock });
    const queue = new RequestQueue({ maxBegun: 10, heavy, clock: systemClock });
    const openContext = createOpenContext({
      ...services,
      openTenant: (_id, work) => ({
        ...tenant,
        connections: {
          ...tenant.connections,
          async findMany(targets) {
            await new Promise<void>((resolve) => reads.push(resolve));
            await work.read(1_000);
            return tenant.connections.findMany(targets);
          },
        },
      }),
    });
    const open = () => {
      const request = queue.enter({ application: 'demo' });
      const caller = API_KEYS['demo-key'];
      const context = openContext(
        new Headers(),
        createFakeRequestState(requestLog, caller),
        request,
      );
      return { request, found: Promise.resolve(context.loadConnection(TARGET)) };
    };
    return { open, reads };
  }

  test('has its result also where the other one has ended before', async () => {
    const { open, reads } = await openRequests();
    const [first, second, third] = [open(), open(), open()];
    await expect.poll(() => reads).toHaveLength(1);
    first.request.end();
    reads[0]?.();
    for (const { found } of [first, second, third])
      expect(await found).toMatchObject({ customerId: 'demo', providerName: 'hubspot' });
    expect(reads).toHaveLength(1);
  });
});
