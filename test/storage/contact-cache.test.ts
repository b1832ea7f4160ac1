import { expect, test } from 'vitest';
import { BACKGROUND_WORK, type RequestWork } from '../../src/admission/work.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { describeEachServer, ringOf } from '../support/databases.ts';
import { runSweep } from '../support/run-sweep.ts';

/** Above the size from which decrypting takes a turn. */
const LARGE_ENTRY = 100_000;

const at = (minute: number) => new Date(Date.UTC(2030, 0, 1, 0, minute));

describeEachServer('the contact cache', (on) => {
  let now = at(0);
  const clock = { ...systemClock, wall: () => now.getTime() };
  const setUp = async (customerId = 'ada', maxCacheEntryBytes = 2_000) => {
    const { id: applicationId } = await on.createApplication();
    const database = on.another({ clock, maxCacheEntryBytes });
    const stores = database.forApplication(applicationId);
    const put = async (minute: number, providerName: 'hubspot' | 'gong' = 'hubspot') => {
      now = at(minute);
      const upsert = { customerId, name: 'Ada', email: 'a@b.c', connections: [{ providerName }] };
      return (await stores.customers.upsert(upsert)).customer.connections.find(
        (connection) => connection.providerName === providerName,
      );
    };
    const connectionId = (await put(0))?.id ?? '';
    const count = async () =>
      (
        await on.rows('select key_hash from crossbook.contact_cache where application_id = $1', [
          applicationId,
        ])
      ).length;
    const openFor = (work: RequestWork) => database.forRequest(applicationId, work).contactCache;
    return { ...stores, applicationId, database, connectionId, put, count, openFor };
  };

  test('returns an entry with its age, and only for the same search', async () => {
    const { contactCache, connectionId } = await setUp();
    await contactCache.write({
      connectionId,
      filterKey: () => 'email:ada',
      weight: 1,
      payload: () => '["ü"]',
      fetchedAt: at(1),
    });
    expect(await contactCache.read(connectionId, 'email:ada')).toEqual({
      payload: '["ü"]',
      fetchedAt: at(1),
    });
    expect(await contactCache.read(connectionId, 'email:bob')).toBeUndefined();
  });

  test('an entry is counted for its reader, and decrypted once the reader may go on', async () => {
    const { contactCache, connectionId, openFor } = await setUp('ada', LARGE_ENTRY * 2);
    const entry = { connectionId, weight: 1, fetchedAt: at(1) };
    await contactCache.write({
      ...entry,
      filterKey: () => 'large',
      payload: () => 'x'.repeat(LARGE_ENTRY),
    });
    await contactCache.write({ ...entry, filterKey: () => 'small', payload: () => 'x' });
    const counted: number[] = [];
    const readFor = (name: string, waiting?: Promise<void>) =>
      openFor({
        ...BACKGROUND_WORK,
        read(bytes) {
          counted.push(bytes);
          return waiting;
        },
      }).read(connectionId, name);
    expect((await readFor('large'))?.payload).toHaveLength(LARGE_ENTRY);
    await readFor('small');
    expect(counted[0]).toBeGreaterThan(LARGE_ENTRY);
    expect(counted[1]).toBeLessThan(1_000);
    const gone = Promise.reject(new Error('gone'));
    gone.catch(() => undefined);
    await expect(readFor('large', gone)).rejects.toThrow('gone');
  });

  test('an entry that cannot be serialized does not keep others from being written', async () => {
    const { contactCache, connectionId } = await setUp();
    const entry = { connectionId, weight: 1, fetchedAt: at(1) };
    await Promise.all([
      contactCache.write({
        ...entry,
        filterKey: () => 'deep',
        payload() {
          throw new RangeError('Maximum call stack size exceeded');
        },
      }),
      contactCache.write({ ...entry, filterKey: () => 'plain', payload: () => 'p' }),
    ]);
    expect(await contactCache.read(connectionId, 'deep')).toBeUndefined();
    expect(await contactCache.read(connectionId, 'plain')).toMatchObject({ payload: 'p' });
  });

  test('urgent entries are readable by other processes immediately', async () => {
    const { applicationId, connectionId } = await setUp();
    const patient = { clock, cacheDelayMs: 24 * 60 * 60_000 };
    const [first, second] = [on.another(patient), on.another(patient)].map(
      (database) => database.forApplication(applicationId).contactCache,
    );
    const entry = {
      connectionId,
      filterKey: () => 'f',
      weight: 0,
      payload: () => 'p',
      fetchedAt: at(1),
    };
    await first?.write({ ...entry, isUrgent: true });
    expect(await second?.read(connectionId, 'f')).toMatchObject({ payload: 'p' });
  });

  test('a newer answer replaces an older one, and an older one never replaces a newer one', async () => {
    const { contactCache, connectionId, count } = await setUp();
    for (const minute of [2, 3, 1]) {
      await contactCache.write({
        connectionId,
        filterKey: () => 'f',
        weight: 1,
        payload: () => `${minute}`,
        fetchedAt: at(minute),
      });
    }
    expect(await contactCache.read(connectionId, 'f')).toEqual({ payload: '3', fetchedAt: at(3) });
    expect(await count()).toBe(1);
  });

  test('an upsert of a connection drops the entries of that connection only', async () => {
    const { contactCache, connectionId, put, count } = await setUp();
    const other = (await put(0, 'gong'))?.id ?? '';
    for (const id of [connectionId, other]) {
      await contactCache.write({
        connectionId: id,
        filterKey: () => 'f',
        weight: 1,
        payload: () => 'p',
        fetchedAt: at(5),
      });
    }
    await put(6);
    expect(await contactCache.read(connectionId, 'f')).toBeUndefined();
    expect(await contactCache.read(other, 'f')).toBeDefined();
    expect(await count()).toBe(1);
  });

  test('a search that began before an upsert and ended after it leaves no entry', async () => {
    const { contactCache, connectionId, put } = await setUp();
    await put(6);
    await contactCache.write({
      connectionId,
      filterKey: () => 'f',
      weight: 1,
      payload: () => 'old',
      fetchedAt: at(5),
    });
    expect(await contactCache.read(connectionId, 'f')).toBeUndefined();
  });

  test('an entry that was written during an upsert is not served', async () => {
    const { applicationId, contactCache, connectionId, put } = await setUp();
    await put(6);
    await contactCache.write({
      connectionId,
      filterKey: () => 'f',
      weight: 1,
      payload: () => 'old',
      fetchedAt: at(7),
    });
    await on.rows('update crossbook.contact_cache set fetched_at = $2 where application_id = $1', [
      applicationId,
      at(5).toISOString(),
    ]);
    expect(await contactCache.read(connectionId, 'f')).toBeUndefined();
  });

  test('stored entries reveal neither the filter nor the contacts, and cannot be decrypted with another key', async () => {
    const { applicationId, contactCache, connectionId } = await setUp();
    const entry = { connectionId, fetchedAt: at(1) };
    await contactCache.write({
      ...entry,
      filterKey: () => 'wyn@example.com',
      weight: 1,
      payload: () => 'Lovelace',
    });
    await contactCache.write({
      ...entry,
      filterKey: () => 'bob@example.com',
      weight: 1,
      payload: () => 'Bob',
    });
    const rows = await on.rows('select * from crossbook.contact_cache where application_id = $1', [
      applicationId,
    ]);
    // Letters that no hexadecimal id has.
    expect(JSON.stringify(rows)).not.toMatch(/wyn|example|Lovelace/);
    await on.rows(
      `update crossbook.contact_cache set sealed = (select max(sealed) from crossbook.contact_cache where application_id = $1)
       where application_id = $1`,
      [applicationId],
    );
    const read = await Promise.all(
      ['wyn@example.com', 'bob@example.com'].map((key) => contactCache.read(connectionId, key)),
    );
    expect(read.filter((found) => found !== undefined).length).toBe(1);
  });

  test('entries that are too large or name no connection are not stored', async () => {
    const { contactCache, connectionId, count } = await setUp();
    await contactCache.write({
      connectionId,
      filterKey: () => 'f',
      weight: 1,
      payload: () => 'x'.repeat(2_000),
      fetchedAt: at(1),
    });
    const gone = '00000000-0000-4000-8000-000000000000';
    await contactCache.write({
      connectionId: gone,
      filterKey: () => 'f',
      weight: 1,
      payload: () => 'x',
      fetchedAt: at(1),
    });
    expect(await count()).toBe(0);
  });

  test('the sweep deletes old entries, then the oldest above each application’s quota', async () => {
    const [one, other] = [await setUp(), await setUp()];
    // Smaller batches than the entries of one application.
    const sweep = (olderThan: Date, maxBytesPerApplication: number) =>
      runSweep(one.database.sweeps.contactCache({ olderThan, maxBytesPerApplication, batch: 2 }));
    await sweep(at(59), 0); // what other tests left
    for (let minute = 1; minute <= 6; minute += 1) {
      const entry = {
        filterKey: () => `${minute}`,
        weight: 1,
        payload: () => 'x'.repeat(700),
        fetchedAt: at(minute),
      };
      await one.contactCache.write({ ...entry, connectionId: one.connectionId });
      if (minute > 4)
        await other.contactCache.write({ ...entry, connectionId: other.connectionId });
    }
    expect(await sweep(at(3), 3_000)).toBe(3);
    const left = await Promise.all(
      ['1', '2', '3', '4', '5', '6'].map((key) => one.contactCache.read(one.connectionId, key)),
    );
    expect(left.map((found) => found !== undefined)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(await other.count()).toBe(2);
  });

  test('when one search is written many times, only the last entry is built and written, and a reader waits for it', async () => {
    const { applicationId, connectionId, count } = await setUp();
    const slow = on.another({ clock, cacheDelayMs: 60 * 60 * 1_000 });
    const { contactCache } = slow.forApplication(applicationId);
    const made: number[] = [];
    const written = [1, 2, 3].map((minute) => {
      const payload = () => `${made.push(minute)}`;
      return contactCache.write({
        connectionId,
        filterKey: () => 'f',
        weight: 1,
        payload,
        fetchedAt: at(minute),
      });
    });
    expect(await count()).toBe(0);
    const reads = [contactCache.read(connectionId, 'f'), contactCache.read(connectionId, 'f')];
    expect(await Promise.all(reads)).toEqual(
      [1, 1].map(() => ({ payload: '1', fetchedAt: at(3) })),
    );
    await Promise.all(written);
    expect(made).toEqual([3]);
  });

  test('the queue of writes is bounded, and is written before the cache closes', async () => {
    const { applicationId, connectionId, count } = await setUp();
    const slow = on.another({ clock, cacheDelayMs: 60 * 60 * 1_000 });
    const { contactCache } = slow.forApplication(applicationId);
    const entry = { connectionId, weight: 1, payload: () => 'p', fetchedAt: at(1) };
    const written = Array.from({ length: 400 }, (_, index) =>
      contactCache.write({ ...entry, filterKey: () => `${index}` }),
    );
    await slow.flush();
    await Promise.all(written);
    expect(await count()).toBe(250);
    // The queue keeps the first entries; entries that arrive while it is full are dropped.
    expect(await contactCache.read(connectionId, '0')).toBeDefined();
    expect(await contactCache.read(connectionId, '399')).toBeUndefined();
    const late = contactCache.write({ ...entry, filterKey: () => '400' });
    expect(await contactCache.read(connectionId, '400')).toBeDefined();
    await late;
  });

  test('writes beyond the size of one batch follow in later batches', async () => {
    const { contactCache, connectionId, count } = await setUp();
    const entry = { connectionId, weight: 150, payload: () => 'p', fetchedAt: at(1) };
    const keys = ['a', 'b', 'c'];
    await Promise.all(keys.map((key) => contactCache.write({ ...entry, filterKey: () => key })));
    expect(await count()).toBe(3);
  });

  test('entries cannot be found after a change of keys', async () => {
    const { applicationId, contactCache, connectionId } = await setUp();
    await contactCache.write({
      connectionId,
      filterKey: () => 'f',
      weight: 1,
      payload: () => 'p',
      fetchedAt: at(1),
    });
    const rotated = on.another({ clock, keyRing: ringOf('new', 'test') });
    expect(
      await rotated.forApplication(applicationId).contactCache.read(connectionId, 'f'),
    ).toBeUndefined();
  });
});
