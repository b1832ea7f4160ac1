import { expect, test } from 'vitest';
import { composite, openScripted, rows, type Scripted } from './scripted-send.ts';

const WANT = { rawData: false };

const open = (...answers: readonly Scripted[]) => openScripted(answers);

function row(number: number, email: unknown) {
  return { Id: `003RO00000000${String(number).padStart(2, '0')}YAA`, Email: email };
}

test('a few emails take one GET with a short URI', async () => {
  const { port, requests, queries } = open(rows([row(1, 'Ada@Example.com')]));
  const found = await port.findByKey(['ada@example.com', "o'brien@example.com"], WANT);
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ method: 'GET', budget: 'api', retry: 'safe' });
  expect(requests[0]?.path).toMatch(/^\/services\/data\/v66\.0\/query\/\?q=[\w.~%*()!-]+$/);
  expect(queries()[0]).toMatch(
    /^SELECT Id,Email,.* FROM Contact WHERE Email IN \('ada@example\.com','o\\'brien@example\.com'\) ORDER BY Id ASC$/,
  );
  expect(found.get('ada@example.com')?.map(({ remoteId }) => remoteId)).toEqual([
    '003RO0000000001YAA',
  ]);
  expect(found.get("o'brien@example.com")).toEqual([]);
});

test('a hundred emails take one composite call', async () => {
  const emails = Array.from(
    { length: 100 },
    (_, index) => `person.number.${index}@some-company.example`,
  );
  const { port, requests, queries } = open(
    composite(rows(emails.map((email, index) => row(index, email)))),
  );
  const found = await port.findByKey(emails, WANT);
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatchObject({ method: 'POST', path: '/services/data/v66.0/composite' });
  expect(queries()).toHaveLength(1);
  expect([...found.values()].every((contacts) => contacts.length === 1)).toBe(true);
});

test('a hundred of the longest emails take one call, with queries that each stay below the maximum URI length', async () => {
  const emails = Array.from(
    { length: 100 },
    (_, index) => `${'l'.repeat(60)}${index}@${'o'.repeat(180)}.example`,
  );
  const { port, requests } = open(composite(rows([]), rows([]), rows([])));
  await port.findByKey(emails, WANT);
  const { compositeRequest } = JSON.parse(requests[0]?.body ?? '') as {
    compositeRequest: { url: string; method: string; referenceId: string }[];
  };
  expect(compositeRequest.map(({ method, referenceId }) => `${method} ${referenceId}`)).toEqual([
    'GET query0',
    'GET query1',
    'GET query2',
  ]);
  for (const { url } of compositeRequest) expect(url.length).toBeLessThan(16_384);
});

test.each(['+', "'", '=', 'é'])(
  'a hundred emails full of %s stay below the maximum URI length',
  async (character) => {
    const emails = Array.from(
      { length: 100 },
      (_, index) => `${character.repeat(60)}${index}@x.example`,
    );
    const { port, requests } = open(composite(...Array.from({ length: 5 }, () => rows([]))));
    await port.findByKey(emails, WANT).catch(() => undefined);
    const { compositeRequest = [] } = JSON.parse(requests[0]?.body ?? '') as {
      compositeRequest?: { url: string }[];
    };
    expect(compositeRequest.length).toBeGreaterThan(1);
    for (const { url } of compositeRequest) expect(url.length).toBeLessThan(16_384);
  },
);

test('all contacts with one email are found, whatever its case', async () => {
  const { port } = open(
    rows([
      row(1, 'Team@Shared.example'),
      row(2, 'TEAM@SHARED.EXAMPLE'),
      row(3, ' team@shared.example '),
    ]),
  );
  const found = await port.findByKey(['team@shared.example'], WANT);
  expect(found.get('team@shared.example')).toHaveLength(3);
});

test('a hit without the email is left out', async () => {
  const { port } = open(
    rows([row(1, 'ıda@example.com'), row(2, null), row(3, 7), { Email: 'x' }, 'no row', null]),
  );
  const found = await port.findByKey(['ida@example.com'], WANT);
  expect([...found]).toEqual([['ida@example.com', []]]);
});

test('a look-up of no emails makes no call', async () => {
  const { port, requests } = open();
  expect((await port.findByKey([], WANT)).size).toBe(0);
  expect(requests).toHaveLength(0);
});

test('an email that is the name of an inherited property is an email like any other', async () => {
  const { port } = open(rows([row(1, '__proto__@constructor.example')]));
  const found = await port.findByKey(['__proto__@constructor.example'], WANT);
  expect(found.get('__proto__@constructor.example')).toHaveLength(1);
});
