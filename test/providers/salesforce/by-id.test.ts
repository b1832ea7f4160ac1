import { expect, test } from 'vitest';
import { composite, openScripted, rows, type Scripted } from './scripted-send.ts';

const WANT = { rawData: false };
const shortId = (number: number) => `003RO00000${String(number).padStart(5, '0')}`;
const row = (number: number) => ({ Id: `${shortId(number)}YAA`, Email: `p${number}@example.com` });

const open = (...answers: readonly Scripted[]) => openScripted(answers);

test('ids of 15 and 18 characters are found, and unknown ids are missing from the result', async () => {
  const { port, requests } = open(rows([row(1), row(2)]));
  const asked = [shortId(1), `${shortId(1)}YAA`, `${shortId(2)}YAA`, `${shortId(3)}YAA`];
  const found = await port.findByIds(asked, WANT);
  expect([...found.keys()].toSorted()).toEqual(asked.slice(0, 3).toSorted());
  expect(found.get(shortId(1))?.remoteId).toBe(`${shortId(1)}YAA`);
  expect(requests).toHaveLength(1);
});

test('an id with a wrong checksum is another id', async () => {
  const { port } = open(rows([row(1)]));
  expect((await port.findByIds([`${shortId(1)}AAA`], WANT)).size).toBe(0);
});

test('ids that are not of contacts are not found, and never sent', async () => {
  const { port, requests } = open();
  const strangers = [
    "003' OR Id != '",
    '001RO0000000001',
    '003RO',
    '',
    '501',
    `${shortId(1)}YA`,
    `${shortId(1)}YAA\n`,
  ];
  expect((await port.findByIds(strangers, WANT)).size).toBe(0);
  expect(requests).toHaveLength(0);
});

test('2,500 ids take two calls', async () => {
  const ids = Array.from({ length: 2_500 }, (_, index) => shortId(index));
  const { port, requests, queries } = open(
    composite(...Array.from({ length: 5 }, (_, part) => rows([row(part)]))),
    composite(...Array.from({ length: 2 }, (_, part) => rows([row(part + 5)]))),
  );
  const found = await port.findByIds(ids, WANT);
  expect(requests).toHaveLength(2);
  expect(queries().join().match(/003RO/g)).toHaveLength(2_500);
  expect(found.size).toBe(7);
});
