import { expect, test } from 'vitest';
import type { Direction } from '../../src/domain/page.ts';
import {
  bindCursors,
  readPageRequest,
  signCursor,
  signPlaceOf,
  slicePage,
} from '../../src/usecases/page.ts';

const signer = bindCursors(
  { bind: () => ({ sign: (payload) => payload, verify: (cursor) => cursor }) },
  { type: 'CONTACT', applicationId: 'a', customerId: 'c', provider: 'hubspot' },
  { key: '' },
  { by: 'emailDomain', domain: 'example.com' },
);

test('a cursor of one direction is rejected in the other, and the cursor of an edge is valid in both', () => {
  const forward = signCursor(signer, { key: '7', direction: 'forward' });
  expect(readPageRequest(signer, { cursor: forward })).toMatchObject({
    boundary: '7',
    direction: 'forward',
  });
  expect(() => readPageRequest(signer, { cursor: forward, direction: 'backward' })).toThrow(
    'The cursor pages forward, not backward.',
  );
  const both = signCursor(signer, { key: '7' });
  for (const direction of ['forward', 'backward'] as const)
    expect(readPageRequest(signer, { cursor: both, direction })).toMatchObject({
      boundary: '7',
      direction,
    });
});

test('a cursor keeps the end of the period and the number of results, each with and without the other', () => {
  for (const until of [undefined, 1_700_000_000_000])
    for (const total of [undefined, 0, 12_345]) {
      const cursor = signCursor(signer, { key: '7', direction: 'forward', until, total });
      const request = readPageRequest(signer, { cursor });
      expect(request).toMatchObject({ boundary: '7', direction: 'forward' });
      expect([request.until, request.total]).toEqual([until, total]);
    }
});

test('a cursor that is too long is rejected before its signature is verified', () => {
  expect(readPageRequest(signer, { cursor: ' '.repeat(1_024) })).toMatchObject({
    direction: 'forward',
  });
  expect(() => readPageRequest(signer, { cursor: ' '.repeat(1_025) })).toThrow('Invalid cursor');
});

test.each([
  [{ key: '4', direction: 'forward' }, '1234', '56789'],
  [{ key: '6', direction: 'backward' }, '12345', '6789'],
  [{ key: '5', direction: 'forward', includesKey: true }, '1234', '56789'],
  [{ key: '4', direction: 'backward', includesKey: true }, '1234', '56789'],
] as const)(
  'from an empty page at %j, both cursors lead on without gaps',
  (place, before, after) => {
    const records = Array.from({ length: 9 }, (_, index) => ({ remoteId: String(index + 1) }));
    const empty = readPageRequest(signer, { cursor: signCursor(signer, place), size: 0 });
    const read = (direction: Direction) => {
      const cursor = signPlaceOf(signer, empty, direction);
      const page = slicePage(
        records,
        readPageRequest(signer, { cursor }),
        (a, b) => Number(a) - Number(b),
      );
      return page.items.map(({ remoteId }) => remoteId).join('');
    };
    expect([read('backward'), read('forward')]).toEqual([before, after]);
  },
);
