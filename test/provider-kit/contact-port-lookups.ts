import { expect, test } from 'vitest';
import { idsOf, PLAIN, type Subject } from './contact-port-subject.ts';

const LONGEST = `${'l'.repeat(64)}@${'o'.repeat(63)}.${'n'.repeat(63)}.${'g'.repeat(53)}.example`;

/** Each with a similar address that it must not match. */
const ODD_EMAILS = [
  ["o'brien@odd.example", 'obrien@odd.example'],
  ["o''brien@odd.example", "o'brien@even.example"],
  ['"quoted"@odd.example', 'quoted@odd.example'],
  ['back\\slash@odd.example', 'backslash@odd.example'],
  ["back\\'quote@odd.example", "back'quote@odd.example"],
  ['trailing@odd.example\\', 'trailing@odd.example'],
  ['ada+crm@odd.example', 'ada@odd.example'],
  ['100%@odd.example', '100a@odd.example'],
  ['under_score@odd.example', 'underxscore@odd.example'],
  ['sta*@odd.example', 'star@odd.example'],
  ['łukasz@exämple.example', 'lukasz@example.example'],
  ['数学者@odd.example', '数学@odd.example'],
  ["' or email != '@odd.example", 'or@odd.example'],
  ['semi:colon&amp=1#x@odd.example', 'semi@odd.example'],
  [LONGEST, LONGEST.slice(1)],
] as const;

export function testLookups(subject: Subject): void {
  test.each(ODD_EMAILS)('%s finds exactly its contact', async (email, other) => {
    const { account, openPort } = subject.open([{ email: other }, { email }]);
    const found = await openPort().findByKey([email], PLAIN);
    expect([...found.keys()]).toEqual([email]);
    expect(idsOf(found.get(email) ?? [])).toEqual([account.recordId(2)]);
  });

  test('emails with special characters can be looked up together', async () => {
    const emails = ODD_EMAILS.map(([email]) => email);
    const { account, openPort } = subject.open(emails.map((email) => ({ email })));
    const found = await openPort().findByKey(emails, PLAIN);
    expect(emails.map((email) => idsOf(found.get(email) ?? []))).toEqual(
      emails.map((_, index) => [account.recordId(index + 1)]),
    );
  });

  test.each([1, 3])('%i full batches of emails cost at most as many calls', async (batches) => {
    const emails = Array.from(
      { length: batches * subject.access.lookupBatch },
      (_, index) => `p${index}@many.example`,
    );
    const { account, openPort } = subject.open(emails.map((email) => ({ email })));
    const found = await openPort().findByKey(emails, PLAIN);
    expect(account.callCount()).toBeLessThanOrEqual(batches * (subject.callsPerBatch ?? 1));
    expect(emails.map((email) => idsOf(found.get(email) ?? []))).toEqual(
      emails.map((_, index) => [account.recordId(index + 1)]),
    );
  });

  test('a full batch of the longest emails is looked up completely', async () => {
    const emails = Array.from({ length: subject.access.lookupBatch }, (_, index) =>
      `${index}é'`.padEnd(64, 'l').concat(LONGEST.slice(64)),
    );
    const { openPort } = subject.open(emails.map((email) => ({ email })));
    const found = await openPort().findByKey(emails, PLAIN);
    expect(emails.map((email) => found.get(email)?.length)).toEqual(emails.map(() => 1));
  });

  test('emails match case-insensitively', async () => {
    const { account, openPort } = subject.open([{ email: 'Grace.Hopper@Navy.Example' }]);
    const found = await openPort().findByKey(['grace.hopper@navy.example'], PLAIN);
    expect(idsOf(found.get('grace.hopper@navy.example') ?? [])).toEqual([account.recordId(1)]);
  });

  test('an email without a contact maps to an empty list, alone or in a batch', async () => {
    const { openPort } = subject.open([
      { email: 'known@here.example' },
      { email: null },
      { email: '' },
      {},
    ]);
    const port = openPort();
    expect([...(await port.findByKey(['nobody@here.example'], PLAIN))]).toEqual([
      ['nobody@here.example', []],
    ]);
    const found = await port.findByKey(
      ['nobody@here.example', 'known@here.example', 'no@one.example'],
      PLAIN,
    );
    expect([...found].map(([email, contacts]) => [email, contacts.length])).toEqual([
      ['nobody@here.example', 0],
      ['known@here.example', 1],
      ['no@one.example', 0],
    ]);
  });

  test('a lookup of no emails makes no call', async () => {
    const { account, openPort } = subject.open([{ email: 'a@here.example' }]);
    expect((await openPort().findByKey([], PLAIN)).size).toBe(0);
    expect(account.callCount()).toBe(0);
  });

  test('a lookup does not find a deleted contact, and finds a new one immediately', async () => {
    const { account, openPort } = subject.open([{ email: 'leaves@here.example' }]);
    account.removePerson(account.recordId(1));
    const added = account.addPerson({ email: 'comes@here.example' });
    const found = await openPort().findByKey(['leaves@here.example', 'comes@here.example'], PLAIN);
    expect(found.get('leaves@here.example')).toEqual([]);
    expect(idsOf(found.get('comes@here.example') ?? [])).toEqual([added]);
  });

  test('a contact whose email changed is found only by its new email', async () => {
    const { account, openPort } = subject.open([{ email: 'maiden@here.example' }]);
    account.updatePerson(account.recordId(1), { email: 'married@here.example' });
    const found = await openPort().findByKey(
      ['maiden@here.example', 'married@here.example'],
      PLAIN,
    );
    expect(found.get('maiden@here.example')).toEqual([]);
    expect(found.get('married@here.example')).toHaveLength(1);
  });
}
