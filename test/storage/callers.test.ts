import { expect, test } from 'vitest';
import { createApiKey } from '../../src/storage/api-keys.ts';
import { describeEachEngine } from '../support/engines.ts';

describeEachEngine('applications and their keys', (on) => {
  const DEMO = { id: '0f0e0d0c-0b0a-4908-8706-050403020100', name: 'Demo' };

  test('a key leads to its application', async () => {
    const { admin, findCallerByKey } = on.database();
    const application = await admin.createApplication('Acme');
    const { key, publicId } = await admin.createKey({ applicationId: application.id, name: 'backend' });
    expect(key).toMatch(new RegExp(`^cbk_${publicId}_[\\w-]{43}$`));
    expect(await findCallerByKey(key)).toEqual({ application, keyId: publicId });
  });

  test('no other text does', async () => {
    const { admin, findCallerByKey } = on.database();
    const { id: applicationId } = await on.createApplication();
    const { key, publicId } = await admin.createKey({ applicationId, name: 'backend' });
    const other = createApiKey();
    const wrong = `cbk_${publicId}_${other.secret}`;
    const last = key.endsWith('A') ? 'B' : 'A';
    const texts = ['', 'cbk', key.slice(0, -1), `${key}A`, ` ${key}`, key.toUpperCase(), other.text, wrong];
    for (const text of [...texts, `${key.slice(0, -1)}${last}`, `cbk_'; --_${other.secret}`, '\0']) {
      expect(await findCallerByKey(text), text).toBeUndefined();
    }
  });

  test('a revoked key is none, and the others go on', async () => {
    const { admin, findCallerByKey } = on.database();
    const { id: applicationId } = await on.createApplication();
    const old = await admin.createKey({ applicationId, name: 'old' });
    const fresh = await admin.createKey({ applicationId, name: 'new' });
    expect(await admin.revokeKey(old.publicId)).toBe(true);
    expect(await admin.revokeKey(old.publicId)).toBe(false);
    expect(await findCallerByKey(old.key)).toBeUndefined();
    expect(await findCallerByKey(fresh.key)).toBeDefined();
    const listed = await admin.listKeys(applicationId);
    expect(new Set(listed.map(({ name, revokedAt }) => `${name} ${revokedAt !== null}`))).toEqual(
      new Set(['old true', 'new false']),
    );
  });

  test('a key that is rotated goes on until its end, beside the one that takes its place', async () => {
    const { admin, findCallerByKey } = on.database();
    const application = await on.createApplication();
    const old = await admin.createKey({ applicationId: application.id, name: 'backend' });
    const end = new Date(Date.now() + 3_600_000);
    const fresh = await admin.rotateKey(old.publicId, end);
    for (const key of [old.key, fresh?.key ?? '']) {
      expect((await findCallerByKey(key))?.application).toEqual(application);
    }
    const later = on.another({ clock: () => end });
    expect(await later.findCallerByKey(old.key)).toBeUndefined();
    expect(await later.findCallerByKey(fresh?.key ?? '')).toBeDefined();
    expect(await later.admin.rotateKey(old.publicId, end)).toBeUndefined();
    const names = (await admin.listKeys(application.id)).map(({ name }) => name);
    expect(names).toEqual(['backend', 'backend']);
    // An end that is set is not put off by rotating once more, and a revocation is at once.
    await admin.rotateKey(old.publicId, new Date(end.getTime() + 1));
    expect(await later.findCallerByKey(old.key)).toBeUndefined();
    expect(await admin.revokeKey(old.publicId)).toBe(true);
    expect(await findCallerByKey(old.key)).toBeUndefined();
  });

  test('web origins are an application’s own, and replaced as a whole', async () => {
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

  test('a token’s subject is read with its application, and only there', async () => {
    const [mine, theirs] = [await on.createApplication(), await on.createApplication()];
    const { findTokenSubject, forApplication } = on.database();
    const ada = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
    await forApplication(mine.id).customers.upsert(ada);
    const subject = await findTokenSubject({ applicationId: mine.id, customerId: 'ada' });
    expect(subject).toEqual({ application: mine, generation: 0, since: expect.any(Date) });
    expect(await findTokenSubject({ applicationId: theirs.id, customerId: 'ada' })).toBeUndefined();
    expect(await findTokenSubject({ applicationId: mine.id, customerId: 'a\0' })).toBeUndefined();
  });

  test('only a hash of the secret is stored', async () => {
    const { id: applicationId } = await on.createApplication();
    const { key } = await on.database().admin.createKey({ applicationId, name: 'backend' });
    const rows = await on.rows('select * from crossbook.api_keys where application_id = $1', [applicationId]);
    expect(rows.length).toBe(1);
    expect(JSON.stringify(rows)).not.toContain(key.split('_').slice(2).join('_'));
  });

  test('no key for an application that is not there', async () => {
    const created = on.database().admin.createKey({ applicationId: DEMO.id.replace('0f', '1f'), name: 'x' });
    await expect(created).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a fixed application with a fixed key may be made at every start', async () => {
    const { admin, findCallerByKey } = on.database();
    const { text: key, publicId } = createApiKey();
    for (let start = 0; start < 3; start += 1) {
      await admin.ensureApplication(DEMO);
      await admin.ensureKey({ applicationId: DEMO.id, name: 'demo', key });
    }
    expect(await findCallerByKey(key)).toEqual({ application: DEMO, keyId: publicId });
    expect((await admin.listApplications()).filter(({ id }) => id === DEMO.id)).toEqual([DEMO]);
    await admin.revokeKey(publicId);
    await admin.ensureKey({ applicationId: DEMO.id, name: 'demo', key });
    expect(await findCallerByKey(key)).toBeUndefined();
    await expect(admin.ensureKey({ applicationId: DEMO.id, name: 'demo', key: 'short' })).rejects.toThrow(
      /form/,
    );
  });

  test('raising a customer’s token generation counts up, and survives upserts', async () => {
    const { customers } = on.database().forApplication((await on.createApplication()).id);
    const ada = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
    expect(await customers.readTokenGeneration('ada')).toBeUndefined();
    expect(await customers.raiseTokenGeneration('ada')).toBeUndefined();
    await customers.upsert(ada);
    expect(await customers.readTokenGeneration('ada')).toBe(0);
    expect(await customers.raiseTokenGeneration('ada')).toBe(1);
    await customers.upsert(ada);
    expect(await customers.readTokenGeneration('ada')).toBe(1);
  });
});
