import { afterEach, describe, expect, test } from 'vitest';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import type { CrmAccess } from '../../src/domain/provider.ts';
import { CONTACT } from '../../src/domain/records/contact.ts';
import { createOutbound, type Outbound } from '../../src/outbound/outbound.ts';
import { salesforce } from '../../src/providers/salesforce/provider.ts';
import { createConnection } from '../support/connection.ts';
import { createFakeContactCache } from '../support/fake-contact-cache.ts';
import { createFakeCredentials } from '../support/fake-credentials.ts';

const ACME = 'https://acme.my.salesforce.com';

let outbound: Outbound;
afterEach(() => outbound.close());

/** The name matches the provider's pattern, but its DNS is in the hands of an attacker. */
describe.each([
  ['loopback', ['127.0.0.1']],
  ['an office', ['192.168.1.7']],
  ['a cloud’s own address', ['169.254.169.254']],
  ['carrier-grade NAT', ['100.64.0.1']],
  ['IPv6 loopback', ['::1']],
  ['IPv4 in IPv6', ['::ffff:10.0.0.1']],
  ['a unique local address', ['fd00:ec2::254']],
  ['nothing at all', []],
])('an instance whose name resolves to %s', (_what, addresses) => {
  test.each(['a search', 'a refresh'])('is not sent %s', async (what) => {
    const asked: string[] = [];
    outbound = createOutbound({
      sandboxOrigins: [],
      findOAuthClient: async () => ({ clientId: 'id', clientSecret: 'client-secret-1' }),
      providers: new Map([[salesforce.name, salesforce]]),
      settings: { deadlineMs: 600_000, connectTimeoutMs: 60_000 },
      random: () => 0,
      lookup: async (host) => {
        asked.push(host);
        return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    });
    const expiresAt = what === 'a refresh' ? '2020-01-01T00:00:00.000Z' : null;
    const credentials = createFakeCredentials(
      { type: 'oauth2', accessToken: 'access-0', refreshToken: 'refresh-0', expiresAt },
      ACME,
    );
    const crm = outbound.openCrmPort({
      connection: createConnection('salesforce', { instanceUrl: ACME }),
      access: salesforce.crm as CrmAccess,
      credentials: credentials.store,
      cache: createFakeContactCache(),
      work: BACKGROUND_WORK,
    });
    const error = await crm
      .of(CONTACT)
      .findByKey(['a@x.example'], { rawData: false })
      .catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'REMOTE_PROVIDER_UNAVAILABLE', remote: undefined });
    expect(error.message).toContain('resolves to a private address');
    expect(asked.length).toBeGreaterThan(0);
    expect(credentials.calls.refused).toEqual([]);
  });
});
