import { describe, expect, test } from 'vitest';
import { DEMO, openRest } from './open-rest.ts';

const TOKEN = { authorization: 'Bearer demo-token' };

describe('a connection', () => {
  test('can be read separately, also by its customer', async () => {
    const { ask } = await openRest();
    const { status, body } = await ask('GET', '/customers/demo/connections/hubspot');
    expect([status, body.provider_name, body.status]).toEqual([200, 'hubspot', 'connected']);
    const own = await ask('GET', '/customers/demo/connections/hubspot', { headers: TOKEN });
    expect(own.body).toEqual(body);
  });

  test.each([
    ['demo', 'gong', 404],
    ['nobody', 'hubspot', 404],
    ['demo', 'myspace', 400],
  ])('of %s to %s gets %i', async (customer, provider, status) => {
    const { ask } = await openRest();
    const path = `/customers/${customer}/connections/${provider}`;
    expect((await ask('GET', path)).status).toBe(status);
    expect((await ask('DELETE', path)).status).toBe(status);
  });

  test('is gone after its removal, which returns the state of its grant and changes the customer’s version', async () => {
    const { ask } = await openRest();
    const before = await ask('GET', '/customers/demo');
    const { status, body } = await ask('DELETE', '/customers/demo/connections/hubspot');
    expect([status, body]).toEqual([200, { revocation: 'not_supported' }]);
    expect((await ask('GET', '/customers/demo/connections/hubspot')).status).toBe(404);
    const after = await ask('GET', '/customers/demo');
    expect(after.body.connections).toHaveLength(before.body.connections.length - 1);
    expect(after.headers.get('etag')).toMatch(/^"2-/);
  });
});

describe('a customer', () => {
  test('is deleted once, by its expected version', async () => {
    const { ask } = await openRest();
    const refused = await ask('DELETE', '/customers/demo', {
      headers: { ...DEMO, 'if-match': '"7"' },
    });
    expect(refused.status).toBe(409);
    const etag = (await ask('GET', '/customers/demo')).headers.get('etag') ?? '';
    const deleted = await ask('DELETE', '/customers/demo', {
      headers: { ...DEMO, 'if-match': etag },
    });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await ask('DELETE', '/customers/demo')).status).toBe(404);
    expect((await ask('GET', '/customers/demo')).status).toBe(404);
  });

  test.each([
    ['GET', '/customers'],
    ['DELETE', '/customers/demo'],
    ['DELETE', '/customers/demo/connections/hubspot'],
  ])('%s %s is rejected for a customer’s own token', async (method, path) => {
    const { ask, fake } = await openRest();
    expect((await ask(method, path, { headers: TOKEN })).status).toBe(403);
    expect(fake.tenant.table.get('demo')?.connections).toHaveLength(3);
  });
});

describe('the list of customers', () => {
  const fill = async () => {
    const opened = await openRest();
    for (const name of ['ada', 'bob', 'cyd', 'dan']) {
      const connections = name === 'dan' ? [{ provider_name: 'gong' }] : [];
      const body = { customer_id: name, name, email: `${name}@Example.com`, connections };
      await opened.ask('PUT', '/customers', { body });
    }
    return opened;
  };
  const idsOf = ({ body }: { body: { records: { customer_id: string }[] } }) =>
    body.records.map(({ customer_id }) => customer_id);

  test('is paged forward and back by its cursors', async () => {
    const { ask } = await fill();
    const first = await ask('GET', '/customers?page_size=2');
    expect([idsOf(first), first.body.pagination.previous]).toEqual([['ada', 'bob'], null]);
    const second = await ask('GET', `/customers?page_size=2&cursor=${first.body.pagination.next}`);
    expect(idsOf(second)).toEqual(['cyd', 'dan']);
    const third = await ask('GET', `/customers?page_size=2&cursor=${second.body.pagination.next}`);
    expect([idsOf(third), third.body.pagination.next]).toEqual([['demo'], null]);
    const back = await ask(
      'GET',
      `/customers?page_size=2&cursor=${third.body.pagination.previous}`,
    );
    expect(idsOf(back)).toEqual(['cyd', 'dan']);
  });

  test.each([
    ['email=BOB@example.com', ['bob']],
    ['provider_name=gong', ['dan']],
    ['provider_name=hubspot&status=connected', ['demo']],
    ['provider_name=hubspot&status=reauthorize', []],
    ['status=unauthorized', ['dan', 'demo']],
    ['email=bob@example.com&provider_name=gong', []],
  ])('with %s has only those', async (query, expected) => {
    const { ask } = await fill();
    expect(idsOf(await ask('GET', `/customers?${query}`))).toEqual(expected);
  });

  test('rejects a cursor of another filter', async () => {
    const { ask } = await fill();
    const { body } = await ask('GET', '/customers?page_size=1&status=unauthorized');
    const moved = await ask('GET', `/customers?page_size=1&cursor=${body.pagination.next}`);
    expect(moved.status).toBe(400);
  });
});
