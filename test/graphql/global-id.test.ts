import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readGlobalId, toGlobalId, toRecordId } from '../../src/graphql/define/global-id.ts';
import { fc } from '../support/fast-check.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', '"', '\\', 'ü', '明', '\ud83d', '\n'), maxLength: 8 }),
);

const remoteId = fc.oneof(fc.nat().map(String), text);

test('the id of a contact is its global id, for any parts', () => {
  fc.assert(
    fc.property(text, text, fc.array(remoteId), (applicationId, customerId, remoteIds) => {
      const source = { type: 'CONTACT', applicationId, customerId, provider: 'hubspot' } as const;
      for (const id of remoteIds) {
        const whole = { ...source, type: 'Contact', remoteId: id } as const;
        expect(toRecordId({ source, remoteId: id })).toBe(toGlobalId(whole));
      }
    }),
    { numRuns: 1_000 },
  );
});

test('a global id is parsed back to its parts, for any parts', () => {
  fc.assert(
    fc.property(text, text, remoteId, (applicationId, customerId, recordId) => {
      const id = {
        type: 'Contact',
        applicationId,
        customerId,
        provider: 'hubspot',
        remoteId: recordId,
      } as const;
      expect(readGlobalId(toGlobalId(id))).toEqual(id);
    }),
    { numRuns: 1_000 },
  );
});

test('the longest id of a record is read, and a longer text is not decoded', () => {
  const toId = (remoteId: string) =>
    toGlobalId({
      type: 'Contact',
      provider: 'hubspot',
      remoteId,
      applicationId: randomUUID(),
      customerId: '明'.repeat(255),
    } as const);
  expect(readGlobalId(toId('明'.repeat(255)))).toMatchObject({ remoteId: '明'.repeat(255) });
  expect(readGlobalId(toId('1'.repeat(2_000)))).toBeUndefined();
});
