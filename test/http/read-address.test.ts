import { expect, test } from 'vitest';
import { readClientSubnet } from '../../src/http/incoming-request.ts';

test.each([
  ['whoever is connected, where no proxy is trusted', 0, '203.0.113.9', '192.0.2.1'],
  ['whom the one trusted proxy names', 1, '203.0.113.9', '203.0.113.9'],
  ['not what a client wrote before that', 1, '10.9.9.9, 203.0.113.9', '203.0.113.9'],
  [
    'whom the outer of two trusted proxies names',
    2,
    '10.9.9.9, 203.0.113.9, 198.51.100.1',
    '203.0.113.9',
  ],
  ['whoever is connected, where a proxy was passed by', 2, '203.0.113.9', '192.0.2.1'],
  ['whoever is connected, where what is named is no address', 1, 'unknown', '192.0.2.1'],
  ['whoever is connected, where nobody is named', 1, undefined, '192.0.2.1'],
])('a request comes from %s', (_case, proxies, forwarded, expected) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  expect(readClientSubnet({ socket: { remoteAddress: '192.0.2.1' }, headers }, proxies)).toBe(
    expected,
  );
});

test('an IPv6 client counts with its /64 network, wherever it is named', () => {
  const message = {
    socket: { remoteAddress: '2001:db8::1' },
    headers: { 'x-forwarded-for': '2001:db8:1:2::3' },
  };
  expect([readClientSubnet(message, 0), readClientSubnet(message, 1)]).toEqual([
    '2001:db8:0:0',
    '2001:db8:1:2',
  ]);
});
