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
  ['postgresql://me:pass@db.example.com:0/x', 'a port from 1 to 65535'],
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

const LISTED = [{ host: 'db.example.com', port: 5432 }];
const TLS = { servername: 'db.example.com', rejectUnauthorized: true };

test.each(['93.184.215.14', '10.1.2.3', '::1'])(
  'the address of a listed host is pinned, and its name verified by TLS: %s',
  async (address) => {
    const rules = { hosts: { allowed: LISTED, plain: [] }, lookup: at(address, '192.0.2.1') };
    expect(await toClientConfig(SECRET, rules)).toMatchObject({ host: address, ssl: TLS });
  },
);

test('TLS is left out for listed plain hosts only, and not if the destination has a CA certificate', async () => {
  const rules = { hosts: { allowed: LISTED, plain: LISTED }, lookup: at('10.1.2.3') };
  expect(await toClientConfig(SECRET, rules)).toMatchObject({ host: '10.1.2.3', ssl: false });
  const caCertificate = `${SELF_SIGNED.cert}\n`;
  expect(await toClientConfig({ ...SECRET, caCertificate }, rules)).toMatchObject({
    ssl: { ca: caCertificate, ...TLS },
  });
});

test.each([{ port: 5433 }, { host: 'other.example.com' }, { host: 'localhost' }, { port: 0 }])(
  'a destination that is not on the list is refused before its name is resolved: %j',
  async (patch) => {
    const lookup = () => expect.fail('a name was resolved');
    const rules = { hosts: { allowed: LISTED, plain: LISTED }, lookup };
    await expect(toClientConfig({ ...SECRET, ...patch }, rules)).rejects.toMatchObject({
      code: 'DESTINATION_REFUSED',
      message: expect.stringContaining('has to be in the setting CROSSBOOK_SYNC_HOSTS'),
    });
  },
);

test('the certificate of a listed address has to be for this address', async () => {
  const host = '93.184.215.14';
  const hosts = { allowed: [{ host, port: 5432 }], plain: [] };
  const { ssl, ...config } = await toClientConfig({ ...SECRET, host }, { hosts });
  expect(config).toMatchObject({ host });
  expect(ssl).toMatchObject({ host, rejectUnauthorized: true });
  expect(ssl).not.toHaveProperty('servername');
});

test('a name that cannot be resolved is unreachable', async () => {
  const lookup = () => Promise.reject(new Error('ENOTFOUND with details'));
  const rules = { hosts: { allowed: LISTED, plain: [] }, lookup };
  await expect(toClientConfig(SECRET, rules)).rejects.toThrow(
    'The host name db.example.com cannot be resolved.',
  );
});
