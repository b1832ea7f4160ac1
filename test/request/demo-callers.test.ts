import { expect, test } from 'vitest';
import { DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { withDemoCallers } from '../../src/request/caller.ts';

const demo = { application: DEMO_APPLICATION, credentialId: 'stored' };
const other = { application: { id: 'other', name: 'other' }, credentialId: 'k' };

test.each([
  ['remembered', <T>(caller: T) => caller],
  ['looked up', async <T>(caller: T) => caller],
])(
  'without the sandbox, what a database still holds of the demo counts for nothing: %s',
  async (_how, find) => {
    const { findCallerByKey, findCallerByToken } = withDemoCallers(
      {
        findCallerByKey: (key) => find(key === 'demo' ? demo : other),
        findCallerByToken: (token) => find(token === 'demo' ? demo : other),
      },
      undefined,
    );
    expect(await findCallerByKey('demo', undefined)).toBeUndefined();
    expect(await findCallerByToken('demo')).toBeUndefined();
    expect(await findCallerByKey('other', undefined)).toBe(other);
    expect(await findCallerByToken('other')).toBe(other);
  },
);
