import { expect, test } from 'vitest';
import { byDomain } from '../support/by-domain.ts';
import { openWireServer } from '../support/wire-server.ts';
import { createFakeAccess, openStub } from './fake-access.ts';

test.each([302, 404])(
  'after a %i of an instance that has moved, a refresh finds it',
  async (status) => {
    const asked: (string | undefined)[] = [];
    const current = await openWireServer((_, response) => response.end('7'));
    const old = await openWireServer((request, response) => {
      asked.push(request.url);
      response.writeHead(request.url === '/token' ? 200 : status).end('access-1');
    });
    const { refresh } = createFakeAccess();
    const access = createFakeAccess({
      needsRefresh: (answer) => answer.status === status,
      refresh: {
        ...refresh,
        readAnswer: (answer) => ({
          ...refresh.readAnswer(answer, new Date()),
          instanceUrl: current.origin,
        }),
      },
    });
    const { openPort, outbound } = openStub(old.origin, {
      access,
      sandboxOrigins: [current.origin],
    });
    expect(await openPort().count(byDomain('x.co'))).toBe(7);
    expect(asked).toEqual(['/count/x.co', '/token']);
    await Promise.all([outbound.close(), old.close(), current.close()]);
  },
);
