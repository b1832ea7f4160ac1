import { expect, test } from 'vitest';
import { isListed, LOOPBACK_HOSTS, readHostList } from '../../src/lib/host-list.ts';

const LIST = readHostList('DB.example.com:5432, *.wide.example:6000,[fd00::1]:5432,10.0.0.1:1');

test('a list has names, ends of names and addresses, each with a port', () => {
  expect(LIST).toEqual({
    entries: [
      { host: 'db.example.com', port: 5432 },
      { host: '*.wide.example', port: 6000 },
      { host: 'fd00::1', port: 5432 },
      { host: '10.0.0.1', port: 1 },
    ],
    problems: [],
  });
});

test.each([
  ['db.example.com', 5432, true],
  ['db.example.com.', 5432, true],
  ['db.example.com', 5433, false],
  ['x.db.example.com', 5432, false],
  ['a.wide.example', 6000, true],
  ['a.b.wide.example', 6000, true],
  ['wide.example', 6000, false],
  ['awide.example', 6000, false],
  ['a.wide.example', 5432, false],
  ['fd00::1', 5432, true],
  ['10.0.0.1', 0, false],
  // Another entry: whether the list covers it.
  ['*.narrow.wide.example', 6000, true],
  ['*.example', 6000, false],
])('whether the list has %s:%i: %s', (host, port, isOnIt) => {
  expect(isListed(LIST.entries, { host, port })).toBe(isOnIt);
});

test.each(['localhost', '127.0.0.1', '::1'])('%s is this machine, at any port', (host) => {
  expect(isListed(LOOPBACK_HOSTS, { host, port: 54_321 })).toBe(true);
});

test.each([
  ['db.example.com', '"db.example.com" must have a port, such as db.example.com:5432'],
  ['[::1]', '"[::1]" must have a port, such as [::1]:5432'],
  ['db.example.com:0', 'the port of "db.example.com:0" must be from 1 to 65535'],
  ['db.example.com:65536', 'must be from 1 to 65535'],
  ['*:5432', '"*:5432" must be a host and a port'],
  ['*.:5432', 'must be a host and a port'],
  ['a.*.example:5432', 'must be a host and a port'],
  ['::1:5432', 'must be a host and a port'],
  ['db.example.com:x', 'must be a host and a port'],
  ['postgresql://db.example.com:5432', 'must be a host and a port'],
  ['db.example.com:5432,', '"" must be a host and a port'],
])('the entry %s is a problem', (text, problem) => {
  expect(readHostList(text).problems).toEqual([expect.stringContaining(problem)]);
});
