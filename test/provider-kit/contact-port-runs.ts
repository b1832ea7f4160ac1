import { expect, test } from 'vitest';
import { byDomain } from '../support/by-domain.ts';
import type { TestContacts } from '../support/redacted.ts';
import { crowd, type Fixture, idsOf, PLAIN, type Subject } from './contact-port-subject.ts';

const DOMAIN = 'crowd.example';

export function testRuns(subject: Subject): void {
  const members = (count: number, { account }: Fixture) =>
    Array.from({ length: count }, (_, index) => account.recordId(2 * index + 1));

  test('a page contains only contacts whose email has exactly this domain, ordered by id', async () => {
    const fixture = subject.open([
      ...crowd(12, DOMAIN),
      { email: `CASE@${DOMAIN.toUpperCase()}` },
      { email: null },
    ]);
    const port = fixture.openPort();
    const expected = [...members(12, fixture), fixture.account.recordId(25)];
    for (const direction of ['forward', 'backward'] as const) {
      const run = await port.readList(
        byDomain(DOMAIN),
        { direction, from: undefined, limit: 50 },
        PLAIN,
      );
      expect(idsOf(run)).toEqual(expected);
      expect([...idsOf(run)].sort(subject.access.compareIds)).toEqual(expected);
    }
    expect(await port.count(byDomain(DOMAIN))).toBe(13);
  });

  test('a page starts after its cursor, and ends before it when paging backward', async () => {
    const fixture = subject.open(crowd(9, DOMAIN));
    const ids = members(9, fixture);
    const port = fixture.openPort();
    const forward = await port.readList(
      byDomain(DOMAIN),
      { direction: 'forward', from: ids[3], limit: 3 },
      PLAIN,
    );
    expect(idsOf(forward)).toEqual(ids.slice(3, 6));
    const backward = await port.readList(
      byDomain(DOMAIN),
      { direction: 'backward', from: ids[3], limit: 3 },
      PLAIN,
    );
    expect(idsOf(backward)).toEqual(ids.slice(1, 4));
  });

  test('a cursor stays valid when its contact was deleted', async () => {
    const fixture = subject.open(crowd(9, DOMAIN));
    const ids = members(9, fixture);
    fixture.account.removePerson(ids[3] ?? '');
    const port = fixture.openPort();
    const forward = await port.readList(
      byDomain(DOMAIN),
      { direction: 'forward', from: ids[3], limit: 2 },
      PLAIN,
    );
    expect(idsOf(forward)).toEqual(ids.slice(4, 6));
    const backward = await port.readList(
      byDomain(DOMAIN),
      { direction: 'backward', from: ids[3], limit: 2 },
      PLAIN,
    );
    expect(idsOf(backward)).toEqual(ids.slice(1, 3));
  });

  test('the longest run of contacts is read completely, from either end', async () => {
    const fixture = subject.open(crowd(1_100, DOMAIN));
    const ids = members(1_100, fixture);
    const port = fixture.openPort();
    const forward = await port.readList(
      byDomain(DOMAIN),
      { direction: 'forward', from: undefined, limit: 1_002 },
      PLAIN,
    );
    expect(idsOf(forward)).toEqual(ids.slice(0, 1_002));
    const backward = await port.readList(
      byDomain(DOMAIN),
      { direction: 'backward', from: undefined, limit: 1_002 },
      PLAIN,
    );
    expect(idsOf(backward)).toEqual(ids.slice(-1_002));
    expect(await port.count(byDomain(DOMAIN))).toBe(1_100);
  });

  test('a domain without contacts gives an empty page and a total of zero', async () => {
    const port = subject.open(crowd(3, DOMAIN)).openPort();
    const run = await port.readList(
      byDomain('nobody.example'),
      { direction: 'forward', from: undefined, limit: 5 },
      PLAIN,
    );
    expect(run).toEqual([]);
    expect(await port.count(byDomain('nobody.example'))).toBe(0);
  });

  test.each(['forward', 'backward'] as const)(
    'paging %s repeats and skips no contact while contacts are added and deleted',
    async (direction) => {
      const fixture = subject.open(crowd(260, DOMAIN));
      const initial = members(260, fixture);
      const removed = new Set<string>();
      const seen = await walk(fixture.openPort(), direction, (step, boundary) => {
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
  direction: 'forward' | 'backward',
  between: (step: number, boundary: string) => void,
): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let step = 0; step < 40; step += 1) {
    const boundary = seen.at(-1);
    const run = await port.readList(
      byDomain(DOMAIN),
      { direction, from: boundary, limit: 21 },
      PLAIN,
    );
    const ids = direction === 'forward' ? idsOf(run) : idsOf(run.toReversed());
    const fresh = ids[0] === boundary ? ids.slice(1) : ids;
    if (fresh.length === 0) return seen;
    seen.push(...fresh);
    between(step, seen.at(-1) ?? '');
  }
  throw new Error('The walk did not come to an end.');
}
