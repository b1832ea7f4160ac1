import { expect, test } from 'vitest';
import { salesforce } from '../../../src/providers/salesforce/provider.ts';
import { byDomain } from '../../support/by-domain.ts';
import { json, openScripted, rows, type Scripted } from './scripted-send.ts';

const WANT = { rawData: false };
const ID = (number: number) => `003RO00000000${number}YAA`;
const row = (number: number, email = `p${number}@Example.COM`) => ({
  Id: ID(number),
  Email: email,
});

const open = (...answers: readonly Scripted[]) => openScripted(answers);

test('a run is ordered by id and includes its start', async () => {
  const { port, queries } = open(rows([row(10), row(11)]));
  const run = await port.readList(
    byDomain('example.com'),
    { direction: 'forward', from: ID(10), limit: 5 },
    WANT,
  );
  expect(run.map(({ remoteId }) => remoteId)).toEqual([ID(10), ID(11)]);
  expect(queries()[0]).toMatch(
    /WHERE Email LIKE '%@example\.com' AND Id >= '003RO0000000010YAA' ORDER BY Id ASC LIMIT 5$/,
  );
});

test('a backward run is queried in descending order, and returned in ascending order', async () => {
  const { port, queries } = open(rows([row(12), row(11)]));
  const run = await port.readList(
    byDomain('example.com'),
    { direction: 'backward', from: ID(12), limit: 2 },
    WANT,
  );
  expect(run.map(({ remoteId }) => remoteId)).toEqual([ID(11), ID(12)]);
  expect(queries()[0]).toMatch(/AND Id <= '003RO0000000012YAA' ORDER BY Id DESC LIMIT 2$/);
});

test('a backward run from the end of the list has no boundary', async () => {
  const { port, queries } = open(rows([]));
  expect(
    await port.readList(
      byDomain('ex_a%.com'),
      { direction: 'backward', from: undefined, limit: 2 },
      WANT,
    ),
  ).toEqual([]);
  expect(queries()[0]).toMatch(/WHERE Email LIKE '%@ex\\_a\\%\.com' ORDER BY Id DESC LIMIT 2$/);
});

test('false hits are replaced by those of large pages, so that only the end of the list makes a run short', async () => {
  const { port, queries } = open(
    rows([row(10), row(11, 'p@sub.example.org'), row(12)]),
    rows([row(13), row(14)]),
  );
  const run = await port.readList(
    byDomain('example.com'),
    { direction: 'forward', from: undefined, limit: 3 },
    WANT,
  );
  expect(run.map(({ remoteId }) => remoteId)).toEqual([ID(10), ID(12), ID(13)]);
  expect(queries()[1]).toMatch(/AND Id > '003RO0000000012YAA' ORDER BY Id ASC LIMIT 2000$/);
});

test('a run is short at the end of the list', async () => {
  const { port, requests } = open(rows([row(10)]));
  expect(
    await port.readList(
      byDomain('example.com'),
      { direction: 'forward', from: undefined, limit: 3 },
      WANT,
    ),
  ).toHaveLength(1);
  expect(requests).toHaveLength(1);
});

test('a run is assembled from several pages of Salesforce', async () => {
  const next = '/services/data/v66.0/query/01gRO0000016PIAYA2-500';
  const { port } = open(rows([row(10)], next), rows([row(11)]));
  expect(
    await port.readList(
      byDomain('example.com'),
      { direction: 'forward', from: undefined, limit: 2 },
      WANT,
    ),
  ).toHaveLength(2);
});

test('a count fetches no rows', async () => {
  const { port, queries } = open(json({ totalSize: 4_711, done: true, records: [] }));
  expect(await port.count(byDomain('example.com'))).toBe(4_711);
  expect(queries()).toEqual(["SELECT COUNT() FROM Contact WHERE Email LIKE '%@example.com'"]);
});

test('ids are ordered as in Salesforce, with 15 or 18 characters', () => {
  const ids = [
    '003RO000000000a',
    '003RO0000000010AAA',
    '003RO000000000A',
    '003RO0000000009',
    '003RO0000000010',
  ];
  expect(ids.toSorted(salesforce.crm?.compareIds)).toEqual([
    '003RO0000000009',
    '003RO000000000A',
    '003RO000000000a',
    '003RO0000000010AAA',
    '003RO0000000010',
  ]);
});
