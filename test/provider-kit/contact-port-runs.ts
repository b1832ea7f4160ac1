import { expect, test } from 'vitest';
import type { ListFilter } from '../../src/domain/records/conditions.ts';
import type { Contact } from '../../src/domain/records/contact.ts';
import type { TestContacts } from '../support/redacted.ts';
import {
  after,
  type Fixture,
  idsOf,
  listingOf,
  PLAIN,
  type Subject,
} from './contact-port-subject.ts';

const DOMAIN = 'crowd.example';

export function testRuns(subject: Subject): void {
  const { filter, nobody, member, crowd, directions, counted } = listingOf(subject, DOMAIN);
  const isBackward = directions.includes('backward');
  const members = (count: number, { account }: Fixture) =>
    Array.from({ length: count }, (_, index) => account.recordId(2 * index + 1));

  test('a page contains only contacts whose email has exactly this domain, ordered by id', async () => {
    const fixture = subject.open([
      ...crowd(12),
      { email: `CASE@${DOMAIN.toUpperCase()}`, ...member },
      { email: null },
    ]);
    const port = fixture.openPort();
    const expected = [...members(12, fixture), fixture.account.recordId(25)];
    for (const direction of directions) {
      const run = await port.readList(filter, { direction, from: undefined, limit: 50 }, PLAIN);
      expect(idsOf(run)).toEqual(expected);
      expect([...idsOf(run)].sort(subject.access.compareIds)).toEqual(expected);
    }
    expect(await port.count(filter)).toBe(counted(13));
  });

  test('a page starts after its cursor, and ends before it when paging backward', async () => {
    const fixture = subject.open(crowd(9));
    const ids = members(9, fixture);
    const port = fixture.openPort();
    const forward = await port.readList(
      filter,
      { direction: 'forward', from: ids[3], limit: 3 },
      PLAIN,
    );
    expect(idsOf(forward)).toEqual(ids.slice(3, 6));
    if (!isBackward) return;
    const backward = await port.readList(
      filter,
      { direction: 'backward', from: ids[3], limit: 3 },
      PLAIN,
    );
    expect(idsOf(backward)).toEqual(ids.slice(1, 4));
  });

  test('a cursor stays valid when its contact was deleted', async () => {
    const fixture = subject.open(crowd(9));
    const ids = members(9, fixture);
    fixture.account.removePerson(ids[3] ?? '');
    const port = fixture.openPort();
    const forward = await port.readList(
      filter,
      { direction: 'forward', from: ids[3], limit: 2 },
      PLAIN,
    );
    expect(idsOf(forward)).toEqual(ids.slice(4, 6));
    if (!isBackward) return;
    const backward = await port.readList(
      filter,
      { direction: 'backward', from: ids[3], limit: 2 },
      PLAIN,
    );
    expect(idsOf(backward)).toEqual(ids.slice(1, 3));
  });

  test('the longest run of contacts is read completely, from either end', async () => {
    const fixture = subject.open(crowd(1_100));
    const ids = members(1_100, fixture);
    const port = fixture.openPort();
    const forward = await port.readList(
      filter,
      { direction: 'forward', from: undefined, limit: 1_002 },
      PLAIN,
    );
    expect(idsOf(forward)).toEqual(ids.slice(0, 1_002));
    if (!isBackward) return;
    const backward = await port.readList(
      filter,
      { direction: 'backward', from: undefined, limit: 1_002 },
      PLAIN,
    );
    expect(idsOf(backward)).toEqual(ids.slice(-1_002));
    expect(await port.count(filter)).toBe(counted(1_100));
  });

  test('a domain without contacts gives an empty page and a total of zero', async () => {
    const port = subject.open(crowd(3)).openPort();
    const run = await port.readList(
      nobody,
      { direction: 'forward', from: undefined, limit: 5 },
      PLAIN,
    );
    expect(run).toEqual([]);
    expect(await port.count(nobody)).toBe(counted(0));
  });

  test.each(directions)(
    'paging %s repeats and skips no contact while contacts are added and deleted',
    async (direction) => {
      const fixture = subject.open(crowd(260));
      const initial = members(260, fixture);
      const removed = new Set<string>();
      const seen = await walk(fixture.openPort(), { filter, direction }, (step, boundary) => {
        if (step < 10) fixture.account.addPerson({ email: `late.${step}@${DOMAIN}` });
        // Ahead of the cursor, behind it, and the record at the cursor.
        for (const id of [
          initial[step * 5],
          initial[259 - step * 5],
          step % 2 ? boundary : undefined,
        ]) {
          if (id !== undefined && fixture.account.removePerson(id)) removed.add(id);
        }
      });
      expect(new Set(seen).size).toBe(seen.length);
      const stayed = initial.filter((id) => !removed.has(id));
      expect(seen.filter((id) => stayed.includes(id))).toEqual(
        direction === 'forward' ? stayed : stayed.toReversed(),
      );
    },
  );
}

/** Pages like a client: each run starts at the last record of the one before, which is then left out. */
async function walk(
  port: TestContacts,
  { filter, direction }: Walked,
  between: (step: number, boundary: string) => void,
): Promise<readonly string[]> {
  const seen: string[] = [];
  let last: Contact | undefined;
  for (let step = 0; step < 40; step += 1) {
    const boundary = seen.at(-1);
    const run = await port.readList(filter, { direction, ...after(last), limit: 21 }, PLAIN);
    last = (direction === 'forward' ? run.at(-1) : run[0]) ?? last;
    const ids = direction === 'forward' ? idsOf(run) : idsOf(run.toReversed());
    const fresh = ids[0] === boundary ? ids.slice(1) : ids;
    if (fresh.length === 0) return seen;
    seen.push(...fresh);
    between(step, seen.at(-1) ?? '');
  }
  throw new Error('The walk did not come to an end.');
}

interface Walked {
  readonly filter: ListFilter;
  readonly direction: 'forward' | 'backward';
}
