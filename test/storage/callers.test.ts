import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createApiKeys, hashSecret } from '../../src/storage/api-keys.ts';
import { describeEachServer, ringOf, TEST_RING } from '../support/databases.ts';
import { findCallerByKey } from '../support/find-caller.ts';

const HOUR_MS = 3_600_000;

describeEachServer('applications and their keys', (on) => {
  /** Moves the key's expiry `ms` closer. */
  const letPass = (publicId: string, ms: number) =>
    on.rows(
      `update crossbook.api_keys set revoked_at = revoked_at - $2::float8 * interval '1 millisecond' where public_id = $1`,
      [publicId, ms],
    );

  const DEMO = { id: '0f0e0d0c-0b0a-4908-8706-050403020100', name: 'Demo' };

  test('concurrent creations of applications with one name create one', async () => {
    const { admin } = on.database();
    const name = `at once ${randomUUID()}`;
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, () => admin.createApplication(name)),
    );
    const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(refused).toEqual(Array.from({ length: 7 }, () => 'CONFLICT'));
    expect((await admin.listApplications()).filter((one) => one.name === name)).toHaveLength(1);
  });

  test('the name of an existing application with another id is taken', async () => {
    const { admin } = on.database();
    const name = `before ${randomUUID()}`;
    await admin.ensureApplication({ id: randomUUID(), name });
    await expect(admin.createApplication(name)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('concurrent creations of API keys with one name create one', async () => {
    const { admin } = on.database();
    const { id: applicationId } = await on.createApplication();
    const make = (name: string) => admin.createKey({ applicationId, name });
    for (let round = 0; round < 5; round += 1) {
      const made = await Promise.allSettled(
        Array.from({ length: 8 }, () => make(`at once ${round}`)),
      );
      const refused = made.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
      expect(refused).toEqual(Array.from({ length: 7 }, () => 'CONFLICT'));
    }
    const another = (await on.createApplication()).id;
    await admin.createKey({ applicationId: another, name: 'at once 0' });
  });

  test('concurrent rotations of one key give one new key, which can be rotated again', async () => {
    const { admin } = on.database();
    const { id: applicationId } = await on.createApplication();
    const { publicId } = await admin.createKey({ applicationId, name: 'backend' });
    const rotated = await Promise.all(
      Array.from({ length: 8 }, () => admin.rotateKey(publicId, HOUR_MS)),
    );
    const [fresh, ...others] = rotated.filter((one) => one !== undefined);
    expect(others).toEqual([]);
    expect(await admin.rotateKey(fresh?.publicId ?? '', HOUR_MS)).toBeDefined();
    await expect(admin.createKey({ applicationId, name: 'backend' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  test('an API key authenticates as its application', async () => {
    const { admin } = on.database();
    const application = await admin.createApplication('Acme');
    const { key, publicId } = await admin.createKey({
      applicationId: application.id,
      name: 'backend',
    });
    expect(key).toMatch(new RegExp(`^cbk_test\\.${publicId}_[\\w-]{43}_[\\w-]{22}$`));
    expect(await findCallerByKey(on.database(), key)).toEqual({ application, keyId: publicId });
  });

  test('no other text authenticates', async () => {
    const { admin } = on.database();
    const { id: applicationId } = await on.createApplication();
    const { key, publicId } = await admin.createKey({ applicationId, name: 'backend' });
    const other = createApiKeys(TEST_RING).create();
    const wrong = `cbk_${publicId}_${other.secret}`;
    const texts = [
      '',
      'cbk',
      key.slice(0, -1),
      `${key}A`,
      ` ${key}`,
      key.toUpperCase(),
      other.text,
      wrong,
    ];
    for (const text of [...texts, `cbk_'; --_${other.secret}`, '\0']) {
      expect(await findCallerByKey(on.database(), text), text).toBeUndefined();
    }
  });

  test('a key without a MAC, and one whose ring key was removed, stay valid while their row exists', async () => {
    const { admin } = on.database();
    const application = await on.createApplication();
    const { key, publicId } = await admin.createKey({
      applicationId: application.id,
      name: 'backend',
    });
    const before = createApiKeys(ringOf('gone')).create();
    const old = `cbk_${before.publicId}_${before.secret}`;
    const row = [before.publicId, application.id, hashSecret(before.secret)];
    await on.rows(
      `insert into crossbook.api_keys (public_id, application_id, name, secret_hash, created_at)
       values ($1, $2, 'old', $3, now())`,
      row,
    );
    const elsewhere = on.another({ keyRing: ringOf('another') });
    const cases: [typeof elsewhere, string, string][] = [
      [on.database(), old, before.publicId],
      [on.database(), before.text, before.publicId],
      [elsewhere, key, publicId],
    ];
    for (const [database, text, keyId] of cases) {
      expect(await findCallerByKey(database, text)).toEqual({ application, keyId });
    }
  });

  test('one statement looks up many keys, each with its own result', async () => {
    const { admin, parseApiKey, findCallersByKey } = on.database();
    const application = await on.createApplication();
    const { id: applicationId } = application;
    const right = await admin.createKey({ applicationId, name: 'right' });
    const revoked = await admin.createKey({ applicationId, name: 'revoked' });
    await admin.revokeKey(revoked.publicId);
    const unknown = createApiKeys(TEST_RING).create();
    const texts = [unknown.text, right.key, revoked.key, right.key];
    const presented = texts.flatMap((text) => parseApiKey(text) ?? []);
    const owner = { application, keyId: right.publicId };
    expect(await findCallersByKey(presented)).toEqual([undefined, owner, undefined, owner]);
  });

  test('a revoked key is invalid, and the other keys stay valid', async () => {
    const { admin } = on.database();
    const { id: applicationId } = await on.createApplication();
    const old = await admin.createKey({ applicationId, name: 'old' });
    const fresh = await admin.createKey({ applicationId, name: 'new' });
    expect(await admin.revokeKey(old.publicId)).toBe(true);
    expect(await admin.revokeKey(old.publicId)).toBe(false);
    expect(await findCallerByKey(on.database(), old.key)).toBeUndefined();
    expect(await findCallerByKey(on.database(), fresh.key)).toBeDefined();
    const listed = await admin.listKeys(applicationId);
    expect(new Set(listed.map(({ name, revokedAt }) => `${name} ${revokedAt !== null}`))).toEqual(
      new Set(['old true', 'new false']),
    );
  });

  test('a rotated key stays valid until its expiry, together with the new one', async () => {
    const { admin } = on.database();
    const application = await on.createApplication();
    const old = await admin.createKey({ applicationId: application.id, name: 'backend' });
    const fresh = await admin.rotateKey(old.publicId, HOUR_MS);
    for (const key of [old.key, fresh?.key ?? '']) {
      expect((await findCallerByKey(on.database(), key))?.application).toEqual(application);
    }
    // Expiry does not depend on the clock of any process, even a wrong one.
    const earlier = on.another({ clock: { ...systemClock, wall: () => Date.now() - 2 * HOUR_MS } });
    const later = on.another({ clock: { ...systemClock, wall: () => Date.now() + 2 * HOUR_MS } });
    expect(await findCallerByKey(later, old.key)).toBeDefined();
    expect(await admin.rotateKey(old.publicId, 2 * HOUR_MS)).toBeUndefined();
    await letPass(old.publicId, HOUR_MS);
    for (const database of [earlier, on.database()]) {
      expect(await findCallerByKey(database, old.key)).toBeUndefined();
      expect(await findCallerByKey(database, fresh?.key ?? '')).toBeDefined();
    }
    const names = (await admin.listKeys(application.id)).map(({ name }) => name);
    expect(names).toEqual(['backend', 'backend']);
    expect(await later.admin.revokeKey(fresh?.publicId ?? '')).toBe(true);
    expect(await findCallerByKey(earlier, fresh?.key ?? '')).toBeUndefined();
  });

  test('web origins belong to one application, and are replaced as a whole', async () => {
    const { admin } = on.database();
    const { id } = await on.createApplication();
    const originsOf = async () =>
      (await admin.listOrigins()).find(({ applicationId }) => applicationId === id)?.origins;
    expect(await originsOf()).toBeUndefined();
    await admin.setOrigins(id, ['https://app.example', 'http://localhost:5173']);
    expect(await originsOf()).toEqual(['https://app.example', 'http://localhost:5173']);
    await admin.setOrigins(id, []);
    expect(await originsOf()).toBeUndefined();
    await expect(admin.setOrigins('nothing', [])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('the customer of a token is found in the token’s application only', async () => {
    const [mine, theirs] = [await on.createApplication(), await on.createApplication()];
    const { findTokenSubject, forApplication } = on.database();
    const ada = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
    await forApplication(mine.id).customers.upsert(ada);
    const subject = await findTokenSubject({ applicationId: mine.id, customerId: 'ada' });
    expect(subject).toEqual({ application: mine, generation: 0, since: expect.any(Date) });
    expect(await findTokenSubject({ applicationId: theirs.id, customerId: 'ada' })).toBeUndefined();
    expect(await findTokenSubject({ applicationId: mine.id, customerId: 'a\0' })).toBeUndefined();
  });

  test('an API key is stored only with a hash of its secret', async () => {
    const { id: applicationId } = await on.createApplication();
    const { key } = await on.database().admin.createKey({ applicationId, name: 'backend' });
    const rows = await on.rows('select * from crossbook.api_keys where application_id = $1', [
      applicationId,
    ]);
    expect(rows.length).toBe(1);
    expect(JSON.stringify(rows)).not.toContain(on.database().parseApiKey(key)?.secret);
  });

  test('a key for an unknown application is not created', async () => {
    const created = on
      .database()
      .admin.createKey({ applicationId: DEMO.id.replace('0f', '1f'), name: 'x' });
    await expect(created).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('an application with a fixed id can be created again at every start', async () => {
    const { admin } = on.database();
    for (let start = 0; start < 3; start += 1) await admin.ensureApplication(DEMO);
    expect((await admin.listApplications()).filter(({ id }) => id === DEMO.id)).toEqual([
      { ...DEMO, deletedAt: null },
    ]);
  });

  test('the token generation of a customer increases by one, and upserts keep it', async () => {
    const { id: applicationId } = await on.createApplication();
    const { findTokenSubject, forApplication } = on.database();
    const { customers } = forApplication(applicationId);
    const readTokenGeneration = async (customerId: string) =>
      (await findTokenSubject({ applicationId, customerId }))?.generation;
    const ada = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
    expect(await readTokenGeneration('ada')).toBeUndefined();
    expect(await customers.raiseTokenGeneration('ada')).toBeUndefined();
    await customers.upsert(ada);
    expect(await readTokenGeneration('ada')).toBe(0);
    expect(await customers.raiseTokenGeneration('ada')).toBe(1);
    await customers.upsert(ada);
    expect(await readTokenGeneration('ada')).toBe(1);
  });
});
