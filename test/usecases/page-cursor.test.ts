import { expect, test } from 'vitest';
import { bindCursors, readPageRequest, signCursor } from '../../src/usecases/page.ts';

const signer = bindCursors(
  { bind: () => ({ sign: (payload) => payload, verify: (cursor) => cursor }) },
  { applicationId: 'a', customerId: 'c', provider: 'hubspot' },
  { by: 'domain', domain: 'example.com' },
);

test('a cursor of one direction is rejected in the other, and the cursor of an edge is valid in both', () => {
  const forward = signCursor(signer, { key: '7', direction: 'forward' });
  expect(readPageRequest(signer, { cursor: forward })).toMatchObject({
    boundary: '7',
    direction: 'forward',
  });
  expect(() => readPageRequest(signer, { cursor: forward, direction: 'backward' })).toThrow(
    'The cursor leads forward, not backward.',
  );
  const both = signCursor(signer, { key: '7' });
  for (const direction of ['forward', 'backward'] as const)
    expect(readPageRequest(signer, { cursor: both, direction })).toMatchObject({
      boundary: '7',
      direction,
    });
});

test('a cursor that is too long is rejected before its signature is verified', () => {
  expect(readPageRequest(signer, { cursor: ' '.repeat(1_024) })).toMatchObject({
    direction: 'forward',
  });
  expect(() => readPageRequest(signer, { cursor: ' '.repeat(1_025) })).toThrow(
    'The cursor is not one',
  );
});
