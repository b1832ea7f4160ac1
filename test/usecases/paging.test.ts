import { describe, expect, test } from 'vitest';
import type { Page, PageRequest } from '../../src/domain/page.ts';
import type { RecordPort } from '../../src/domain/provider.ts';
import type { Contact } from '../../src/domain/records/contact.ts';
import { readListPage, slicePage } from '../../src/usecases/page.ts';
import { byDomain } from '../support/by-domain.ts';
import { fc } from '../support/fast-check.ts';

const SELECTION = { rawData: false, needsPreviousPage: true };
const listArb = fc
  .uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 })
  .map((ids) => ids.sort((a, b) => a - b).map(String));
const requestArb: fc.Arbitrary<PageRequest> = fc.record({
  direction: fc.constantFrom('forward', 'backward'),
  size: fc.integer({ min: 0, max: 12 }),
  boundary: fc.option(fc.integer({ min: 1, max: 60 }).map(String), { nil: undefined }),
  includesBoundary: fc.boolean(),
});

describe.each([
  {
    name: 'a list at hand',
    read: async (ids: string[], ask: PageRequest) => slicePage(ids.map(toContact), ask, compareIds),
  },
  { name: 'a list that only the provider has', read: readFromProvider },
])('a page of $name', ({ read }) => {
  test('is exactly the requested slice, with correct hasNextPage and hasPreviousPage, also when the boundary was deleted', async () => {
    await fc.assert(
      fc.asyncProperty(listArb, requestArb, async (ids, request) => {
        expect(toFacts(await read(ids, request))).toEqual(expectPage(ids, request));
      }),
      { numRuns: 500 },
    );
  });

  test('is followed by the next without repeats or gaps while records are added and deleted', async () => {
    await fc.assert(
      fc.asyncProperty(
        listArb,
        fc.array(fc.integer({ min: 1, max: 60 })),
        fc.integer({ min: 1, max: 7 }),
        async (ids, flips, size) => {
          const steady = ids.filter((id) => !flips.includes(Number(id)));
          const seen: string[] = [];
          let current = ids;
          let boundary: string | undefined;
          for (let step = 0; ; step += 1) {
            const page: Page<Contact> = await read(current, {
              direction: 'forward',
              size,
              boundary,
            });
            seen.push(...page.items.map(({ remoteId }) => remoteId));
            if (!page.hasNextPage) break;
            boundary = page.items.at(-1)?.remoteId;
            current = flip(current, flips[step]);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(steady.filter((id) => !seen.includes(id))).toEqual([]);
        },
      ),
    );
  });
});

test('an existing boundary proves that a neighbour page exists, without a separate call', async () => {
  let calls = 0;
  const port = toPort(['1', '2', '3', '4', '5'], () => (calls += 1));
  const request: PageRequest = { direction: 'forward', size: 2, boundary: '2' };
  const page = await readListPage(port, byDomain('example.com'), request, SELECTION);
  expect(toFacts(page)).toEqual({ ids: ['3', '4'], next: true, previous: true });
  expect(calls).toBe(1);
});

function expectPage(ids: string[], request: PageRequest) {
  const { direction, size, boundary, includesBoundary = false } = request;
  const forward = direction === 'forward';
  // The number of records before the place where the page starts (forward) or ends (backward).
  const place =
    boundary === undefined
      ? forward
        ? 0
        : ids.length
      : ids.filter((id) => compareIds(id, boundary) < (forward === includesBoundary ? 0 : 1))
          .length;
  const start = forward ? place : Math.max(0, place - size);
  const end = forward ? Math.min(ids.length, place + size) : place;
  return { ids: ids.slice(start, end), next: end < ids.length, previous: start > 0 };
}

function toFacts(page: Page<Contact>) {
  return {
    ids: page.items.map(({ remoteId }) => remoteId),
    next: page.hasNextPage,
    previous: page.hasPreviousPage,
  };
}

function readFromProvider(ids: string[], request: PageRequest) {
  return readListPage(toPort(ids), byDomain('example.com'), request, SELECTION);
}

function toPort(ids: string[], called?: () => void): Pick<RecordPort<Contact>, 'readList'> {
  return {
    async readList(_filter, { direction, from, limit }) {
      called?.();
      const forward = direction === 'forward';
      const reach = ids.filter(
        (id) =>
          from === undefined || (forward ? compareIds(id, from) >= 0 : compareIds(id, from) <= 0),
      );
      return (forward ? reach.slice(0, limit) : reach.slice(Math.max(0, reach.length - limit))).map(
        toContact,
      );
    },
  };
}

function flip(ids: string[], change: number | undefined): string[] {
  if (change === undefined) return ids;
  const id = String(change);
  return ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id].sort(compareIds);
}

function compareIds(a: string, b: string): number {
  return Number(a) - Number(b);
}

function toContact(remoteId: string): Contact {
  return { remoteId } as Partial<Contact> as Contact;
}
