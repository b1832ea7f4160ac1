import { expect, test } from 'vitest';
import { DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createCallerCache } from '../../src/request/caller.ts';

const demo = { application: DEMO_APPLICATION, credentialId: 'stored' };
const other = { application: { id: 'other', name: 'other' }, credentialId: 'k' };

test.each([
  ['remembered', 2],
  ['looked up', 1],
])(
  'without the sandbox, everything that the database still has of the demo is ignored: %s',
  async (_how, times) => {
    const find = async (what: string) => (what === 'demo' ? demo : other);
    const { findCallerByKey, findCallerByToken } = createCallerCache({
      parseKey: (secret) => ({ publicId: secret, secret, isGenuine: true }),
      lookups: { find: ({ key }) => find(key.secret) },
      verifyToken: async (token) => ({
        caller: await find(token),
        expiresAt: Number.POSITIVE_INFINITY,
      }),
      clock: systemClock,
      demoKey: undefined,
    });
    for (let time = 1; time < times; time += 1) {
      for (const what of ['demo', 'other']) {
        await findCallerByKey(what, undefined);
        await findCallerByToken(what);
      }
    }
    expect(await findCallerByKey('demo', undefined)).toBeUndefined();
    expect(await findCallerByToken('demo')).toBeUndefined();
    expect(await findCallerByKey('other', undefined)).toBe(other);
    expect(await findCallerByToken('other')).toBe(other);
  },
);
