import { type Headers, type HttpRequest, toGraphQL } from '../target/send.ts';
import { many } from './line.ts';

/**
 * Responses of a CRM that are costly to read. Each is a function, because some have tens of megabytes. No client can make
 * a CRM send a megabyte of distinct names, so responses within the cap look like real records.
 */
export interface HostileAnswer {
  readonly title: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  write(): string;
}

const MEGABYTE = 1024 * 1024;

const contact = (properties: object, id: number | string = 1) => ({
  id: String(id),
  properties: { email: 'ada@example.com', hs_email_domain: 'example.com', ...properties },
});
const page = (results: readonly unknown[]) =>
  JSON.stringify({ total: results.length, status: 'COMPLETE', results });
const list = <Item>(count: number, make: (n: number) => Item) =>
  Array.from({ length: count }, (_, n) => make(n));
const keys = (count: number, seed = '') =>
  Object.fromEntries(list(count, (n) => [`k${seed}${(n * 7_919) % 1_000_003}`, n]));
const nest = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

export const ANSWERS: readonly HostileAnswer[] = [
  {
    title: '31 MB of contacts',
    write: () => page(list(90_000, (n) => contact({ notes: 'x'.repeat(240) }, n + 1))),
  },
  {
    title: '31 MB of contacts with a euro sign each',
    write: () => page(list(90_000, (n) => contact({ notes: `€${'x'.repeat(230)}` }, n + 1))),
  },
  { title: '8 MB of distinct keys in one record', write: () => page([contact(keys(500_000))]) },
  {
    title: '8 MB of distinct keys in many records',
    write: () => page(list(1_000, (n) => contact(keys(500, `${n}x`), n + 1))),
  },
  {
    title: 'a hundred records with 800 properties each',
    write: () => page(list(100, (n) => contact(keys(800), n + 1))),
  },
  { title: '16 MB of empty lists', write: () => `{"results":[${'[],'.repeat(5_000_000)}[]]}` },
  { title: '16 MB of digits and commas', write: () => `{"results":[${'1,'.repeat(8_000_000)}1]}` },
  {
    title: '30 MB of one text',
    write: () => page([contact({ notes: 'x'.repeat(30 * MEGABYTE) })]),
  },
  {
    title: '30 texts of almost a megabyte, all escapes',
    write: () => page(list(30, (n) => contact({ notes: '"'.repeat(MEGABYTE / 2 - 10) }, n + 1))),
  },
  {
    title: 'texts of almost a megabyte as names',
    write: () =>
      page(list(30, (n) => contact({ firstname: `€${'x '.repeat(MEGABYTE / 2 - 10)}` }, n + 1))),
  },
  {
    title: 'a hundred thousand characters as each name',
    write: () =>
      page(
        list(100, (n) =>
          contact({ firstname: 'x'.repeat(100_000), lastname: '"'.repeat(100) }, n + 1),
        ),
      ),
  },
  {
    title: 'a megabyte of additional addresses',
    write: () => page([contact({ hs_additional_emails: 'a@b.co;'.repeat(140_000) })]),
  },
  {
    title: 'a hundred records with 60 KB of additional addresses',
    write: () =>
      page(list(100, (n) => contact({ hs_additional_emails: 'a;'.repeat(30_000) }, n + 1))),
  },
  {
    title: 'a record that is nested 5,000 deep',
    write: () => `{"results":[{"id":"1","properties":${nest(5_000)}}]}`,
  },
  {
    title: 'a record that is nested 100,000 deep',
    write: () => `{"results":[{"id":"1","properties":${nest(100_000)}}]}`,
  },
  { title: 'a hundred thousand opening brackets', write: () => '['.repeat(100_000) },
  { title: '31 MB of white space', write: () => `{"results":[]${' '.repeat(31 * MEGABYTE)}}` },
  {
    title: 'a million errors in a partial response',
    write: () =>
      `{"results":[],"errors":[${list(100_000, () => '{"category":"OBJECT_NOT_FOUND","context":{"ids":["1"]}}').join()}]}`,
    status: 207,
  },
  {
    title: 'a refusal of 31 MB',
    status: 400,
    write: () => JSON.stringify({ message: 'x'.repeat(31 * MEGABYTE) }),
  },
  {
    title: 'a refusal with a hundred thousand ids',
    status: 400,
    write: () =>
      JSON.stringify({ status: 'error', message: 'no', context: { ids: list(100_000, String) } }),
  },
  {
    title: 'a refusal of HTML with 100,000 tags',
    status: 502,
    write: () => '<p>'.repeat(100_000),
    headers: { 'content-type': 'text/html' },
  },
  { title: 'a refusal of percent signs', status: 400, write: () => '%25'.repeat(100_000) },
  {
    title: 'a refusal with a header of 14 KB',
    status: 400,
    headers: { 'x-echo': 'A'.repeat(14_000) },
    write: () => '{}',
  },
];

/** What makes a CRM answer, and what is written of its answer. */
export const ANSWERED: Readonly<Record<string, (headers: Headers) => HttpRequest>> = {
  'a search by domain': search(
    { emailDomain: 'example.com' },
    'totalCount nodes{id firstName rawData}',
  ),
  'a look-up': search({ email: 'ada@example.com' }, 'totalCount nodes{id firstName rawData}'),
  'a search for names': search({ emailDomain: 'example.com' }, 'nodes{id firstName lastName}'),
  'records in nodes and edges': search(
    { emailDomain: 'example.com' },
    'nodes{rawData} edges{node{rawData firstName}}',
  ),
  'a batch of searches': (headers) =>
    toGraphQL(
      ['a', 'b', 'c'].map((name) => ({
        query: `{${name}:searchContacts(filter:{emailDomain:"example.com"},first:1000){nodes{${many(3, (n) => `n${n}:firstName`)} rawData}}}`,
      })),
      headers,
    ),
  'a look-up with associations over REST': rest(
    'associations_to_fetch=company,deal&include_raw_data=true',
    { email: 'ada@example.com' },
  ),
  'a search over REST': rest('page_size=1000', { email_domain: 'example.com' }),
  'a compressed search over REST': rest(
    'include_raw_data=true&page_size=1000',
    { email_domain: 'example.com' },
    { 'accept-encoding': 'gzip' },
  ),
};

function search(filter: object, selection: string) {
  const query = `query($f:ContactFilter!){searchContacts(filter:$f,first:1000){${selection}}}`;
  return (headers: Headers) => toGraphQL({ query, variables: { f: filter } }, headers);
}

function rest(query: string, filter: object, more: Headers = {}) {
  return (headers: Headers) => ({
    path: `/contacts/_search?${query}`,
    headers: { ...headers, ...more, 'content-type': 'application/json' },
    body: JSON.stringify({ filter }),
  });
}
