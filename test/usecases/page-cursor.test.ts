import { expect, test } from 'vitest';
import { bindCursors, readPageRequest, signCursor } from '../../src/usecases/page.ts';

const signer = bindCursors(
  { bind: () => ({ sign: (payload) => payload, verify: (cursor) => cursor }) },
  { applicationId: 'a', customerId: 'c', provider: 'hubspot' },
  { by: 'domain', domain: 'example.com' },
);

test('a cursor that leads one way is refused the other way, and one of an edge leads both', () => {
  const forward = signCursor(signer, { key: '7', direction: 'forward' });
  expect(readPageRequest(signer, { cursor: forward })).toMatchObject({ boundary: '7', direction: 'forward' });
  expect(() => readPageRequest(signer, { cursor: forward, direction: 'backward' })).toThrow(
    'The cursor leads forward, not backward.',
  );
  const both = signCursor(signer, { key: '7' });
  for (const direction of ['forward', 'backward'] as const)
    expect(readPageRequest(signer, { cursor: both, direction })).toMatchObject({ boundary: '7', direction });
});

test('a cursor that is too long is refused before its signature is looked at', () => {
  expect(readPageRequest(signer, { cursor: ' '.repeat(1_024) })).toMatchObject({ direction: 'forward' });
  expect(() => readPageRequest(signer, { cursor: ' '.repeat(1_025) })).toThrow('The cursor is not one');
});
