import { expect } from 'vitest';
import { pipedrive } from '../../../src/providers/pipedrive/provider.ts';
import { noContacts, testQuirks } from '../../provider-kit/quirks.ts';

const FORBIDDEN = 'REMOTE_PROVIDER_FORBIDDEN';
/** Its lists lead forward only, and are not counted. */
const ALSO = {
  backward: 'NOT_IMPLEMENTED',
  count: null,
  companies: FORBIDDEN,
  deals: FORBIDDEN,
};
const ON = [{ value: true }];

testQuirks(
  pipedrive,
  {
    // It finds no contacts by domain.
    list: { by: 'all' },
    members: [1, 2, 3, 4, 5],
    createAccount: (sandbox, people, quirks) =>
      sandbox.pipedrive.createAccount({ people, quirks, limits: null }),
    names: (sandbox) => Object.keys(sandbox.pipedrive.demo.quirks),
  },
  {
    searchLagMs: [{ value: 60_000 }],
    searchMatchesTooMuch: ON,
    // Without it, persons have no address.
    withoutContactSync: [{ value: true, but: { found: expect.anything() } }],
    customFields: [{ value: {} }],
    deletedFields: [{ value: ['favorite_color'] }],
    refusesUnknownKeys: ON,
    lastWordIsLastName: ON,
    goneOnWrite: [{ value: ['1'] }],
    maxPageSize: [{ value: 2 }],
    emptyPages: ON,
    withoutApiDomain: ON,
    rotateRefreshTokens: ON,
    withoutLimitHeaders: ON,
    grantedScopes: [{ value: ['base'], but: { ...noContacts(FORBIDDEN), ...ALSO } }],
    redirectUris: [{ value: [] }],
    openerPolicy: [{ value: 'same-origin' }],
    denyWithoutState: ON,
    denyWithoutDescription: ON,
    codeTtlMs: [{ value: 0 }],
  },
);
