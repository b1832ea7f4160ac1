import { expect, test } from 'vitest';
import { findSample, runSample } from '../../../test/support/run-sample.ts';
import { openSandbox } from '../src/index.ts';

test('the sample of the README runs: its fault meets the call that it is for, and no other', async () => {
  const sample = findSample('packages/sandbox/README.md', 'ts', 'openSandbox');
  const { account } = await runSample<Declared>(sample, {
    given: { openSandbox },
    declares: ['account'],
  });
  expect(account.calls()).toMatchObject([{ operation: 'contacts.list', status: 200 }]);
});

interface Declared {
  readonly account: Awaited<ReturnType<typeof openSandbox>>['hubspot']['demo'];
}
