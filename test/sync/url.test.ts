import { expect, test } from 'vitest';
import { readDestinationUrl } from '../../src/domain/destination-url.ts';
import { toClientConfig } from '../../src/sync/connect.ts';
import { SELF_SIGNED } from '../fixtures/self-signed.ts';

test('a URL is taken apart, and its parts are decoded', () => {
  expect(readDestinationUrl('postgresql://me:p%40ss%2Fw@db.example.com:6000/ware%20house')).toEqual(
    {
      host: 'db.example.com',
      port: 6000,
      database: 'ware house',
      user: 'me',
      password: 'p@ss/w',
    },
  );
  expect(readDestinationUrl('postgres://me:pass@DB.example.com/x')).toMatchObject({
    host: 'db.example.com',
    port: 5432,
  });
});

test.each([
  ['postgresql://me:pass@db.example.com/x?sslmode=disable', 'query parameters'],
  ['postgresql://me:pass@db.example.com/x?sslrootcert=/etc/passwd', 'query parameters'],
  ['postgresql://me:pass@db.example.com/x?', 'query parameters'],
  ['postgresql://me:pass@db.example.com/x#a', 'fragment'],
  ['https://me:pass@db.example.com/x', 'must begin with'],
  ['socket:/var/run', 'must begin with'],
  ['postgresql://db.example.com/x', 'a user and a password'],
  ['postgresql://me@db.example.com/x', 'a user and a password'],
  ['postgresql://me:pass@db.example.com', 'one database'],
  ['postgresql://me:pass@db.example.com/a/b', 'one database'],
  ['postgresql://me:pass@a.example,b.example/x', 'one host'],
  ['postgresql:///x', 'one host'],
  ['postgresql://me:pa%00ss@db.example.com/x', 'control character'],
  ['nonsense', 'must be a URL'],
  [`postgresql://me:${'p'.repeat(3_000)}@db.example.com/x`, 'must be a URL'],
])('%s is refused', (url, problem) => {
  expect(readDestinationUrl(url)).toEqual({ problem: expect.stringContaining(problem) });
});

const SECRET = {
  host: 'db.example.com',
  port: 5432,
  database: 'x',
  user: 'me',
  password: 'pass',
  caCertificate: null,
};
const at =
  (...addresses: readonly string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: 4 }));

test('a public host has its address pinned, and its name verified by TLS', async () => {
  const config = await toClientConfig(SECRET, {
    allowedHosts: [],
    lookup: at('10.0.0.1', '93.184.215.14'),
  });
  expect(config).toMatchObject({
    host: '93.184.215.14',
    ssl: { servername: 'db.example.com', rejectUnauthorized: true },
  });
});

test.each([['10.1.2.3'], ['127.0.0.1'], ['169.254.169.254'], ['::1'], ['fd00::1']])(
  'a host with the private address %s is refused unless it is named',
  async (address) => {
    const rules = { allowedHosts: [], lookup: at(address), lookupAllowed: at(address) };
    await expect(toClientConfig(SECRET, rules)).rejects.toThrow('CROSSBOOK_SYNC_HOSTS');
    const named = { ...rules, allowedHosts: ['db.example.com'] };
    expect(await toClientConfig(SECRET, named)).toMatchObject({ host: address, ssl: false });
    const caCertificate = `${SELF_SIGNED.cert}\n`;
    expect(await toClientConfig({ ...SECRET, caCertificate }, named)).toMatchObject({
      ssl: { ca: caCertificate, servername: 'db.example.com', rejectUnauthorized: true },
    });
  },
);

test('an address instead of a name is refused unless it is named, because no certificate has it', async () => {
  const secret = { ...SECRET, host: '93.184.215.14' };
  await expect(toClientConfig(secret, { allowedHosts: [] })).rejects.toThrow('is an IP address');
  expect(await toClientConfig(secret, { allowedHosts: ['93.184.215.14'] })).toMatchObject({
    host: '93.184.215.14',
  });
});

test('a name that cannot be resolved is unreachable', async () => {
  const lookup = () => Promise.reject(new Error('ENOTFOUND with details'));
  await expect(toClientConfig(SECRET, { allowedHosts: [], lookup })).rejects.toThrow(
    'The host name db.example.com cannot be resolved.',
  );
});
