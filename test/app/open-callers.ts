import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt, SignJWT } from 'jose';
import type { Config } from '../../src/config.ts';
import type { TokenSubject } from '../../src/domain/caller.ts';
import { DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { createCustomerTokens } from '../../src/request/customer-token.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { createSigningKeys } from '../../src/storage/signing.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const RING = parseKeyRing(KEYS);
const SIGNING = createSigningKeys(RING, 'customer token');
const HOUR = 3_600_000;

/** The allowed origins of the two applications. */
export const ORIGINS = { demo: 'https://app.example', other: 'https://other.example' };

/**
 * The product with two applications: the demo, with the customers `demo` and `sibling`, and another one with
 * `theirs`. Also every kind of caller, as the headers that it sends.
 */
export async function openCallers(patch: Partial<Config> = {}): Promise<CallersApp> {
  const root = makeTemporaryFolder();
  const database = { directory: join(root, 'data') };
  const seeded = await seed(database);
  const crossbook = await openApp({ database, keys: KEYS, ...patch });
  await addSibling(crossbook);
  const token = await issue(crossbook, 'demo');
  const callers = {
    key: { 'x-api-key': crossbook.key },
    otherKey: { 'x-api-key': seeded.otherKey },
    token: bearer(token),
    narrowToken: bearer(await issue(crossbook, 'demo', ['hubspot'])),
    siblingToken: bearer(await issue(crossbook, 'sibling')),
    otherToken: bearer(await signFor(seeded.theirs, 'theirs')),
  };
  const refused = {
    none: {},
    revokedKey: { 'x-api-key': seeded.revokedKey },
    unknownKey: { 'x-api-key': `cbk_0000000000000000_${'A'.repeat(43)}` },
    expiredToken: bearer(await signFor(seeded.theirs, 'theirs', -2 * HOUR)),
    revokedToken: bearer(await resign(token, { generation: 17 })),
    wrongAudience: bearer(await resign(token, { aud: 'another product' })),
    wrongIssuer: bearer(await resign(token, { iss: seeded.theirs.application.id })),
    oddToken: bearer(await resign(token, { sub: 'demo\0' })),
    alteredToken: bearer(`${token.slice(0, -6)}AAAAAA`),
  };
  return {
    crossbook,
    callers,
    refused,
    async close() {
      await crossbook.close();
      rmSync(root, { recursive: true });
    },
  };
}

/** Before the product starts: an operator's command would run in another process. */
async function seed(target: { directory: string }) {
  const database = await openDatabase(target, { ...PATIENT_DATABASE, keyRing: RING });
  const { admin } = database;
  const other = await admin.createApplication('Other');
  const { key: otherKey } = await admin.createKey({ applicationId: other.id, name: 'other' });
  await admin.ensureApplication(DEMO_APPLICATION);
  const revoked = await admin.createKey({ applicationId: DEMO_APPLICATION.id, name: 'revoked' });
  await admin.revokeKey(revoked.publicId);
  await admin.setOrigins(DEMO_APPLICATION.id, [ORIGINS.demo]);
  await admin.setOrigins(other.id, [ORIGINS.other]);
  const customer = { customerId: 'theirs', name: 'Theirs', email: 'theirs@example.com' };
  await database.forApplication(other.id).customers.upsert(customer);
  const theirs = await database.findTokenSubject({ applicationId: other.id, customerId: 'theirs' });
  await database.close();
  if (!theirs) throw new Error('The customer was not stored.');
  return { otherKey, revokedKey: revoked.key, theirs };
}

async function addSibling(crossbook: TestApp): Promise<void> {
  const { hubspot } = crossbook.sandbox;
  const { status } = await crossbook.rest('PUT', '/customers', {
    customer_id: 'sibling',
    name: 'Sibling',
    email: 'sibling@example.com',
    connections: [
      {
        provider_name: 'hubspot',
        instance_url: hubspot.origin,
        credentials: { type: 'token', value: hubspot.demo.staticToken },
      },
    ],
  });
  if (status !== 200) throw new Error(`The sibling was answered with ${status}.`);
}

async function issue(
  crossbook: TestApp,
  customerId: string,
  providers?: string[],
): Promise<string> {
  const { body } = await crossbook.rest('POST', `/customers/${customerId}/tokens`, { providers });
  return body.token;
}

/** Signs as the product does, at another point in time. */
async function signFor(subject: TokenSubject, customerId: string, byMs = 0): Promise<string> {
  const wall = () => Date.now() + byMs;
  const tokens = createCustomerTokens({ keys: SIGNING, findSubject: async () => subject, wall });
  const expiresAt = new Date(wall() + HOUR);
  return (await tokens.sign(subject.application.id, { customerId, expiresAt })) ?? '';
}

/** Signed with one of our keys, with claims that we would not sign. */
function resign(token: string, change: object): Promise<string> {
  return new SignJWT({ ...decodeJwt<object>(token), ...change })
    .setProtectedHeader({ alg: 'HS256', typ: 'crossbook-customer+jwt', kid: SIGNING.current.id })
    .sign(SIGNING.current.secret);
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export interface CallersApp {
  readonly crossbook: TestApp;
  readonly callers: Readonly<Record<string, Record<string, string>>>;
  readonly refused: Readonly<Record<string, Record<string, string>>>;
  close(): Promise<void>;
}
