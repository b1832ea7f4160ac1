import { salesforce } from '../../../src/providers/salesforce/provider.ts';
import { noContacts, testQuirks, toMoved } from '../../provider-kit/quirks.ts';

const ON = [{ value: true }];
const FORBIDDEN = 'REMOTE_PROVIDER_FORBIDDEN';
const REFUSED = 'UNPROCESSABLE_ENTITY';
const NO_DOMAINS = { forward: REFUSED, backward: REFUSED, count: REFUSED };
const NO_EMAILS = {
  ...NO_DOMAINS,
  found: REFUSED,
  byAlias: REFUSED,
  byBoth: REFUSED,
  refreshed: REFUSED,
  refreshedAgain: REFUSED,
};

testQuirks(
  salesforce,
  {
    members: [2, 3, 4, 5, 6],
    createAccount: (sandbox, people, quirks) =>
      sandbox.salesforce.createAccount({ people, quirks, limits: null }),
    names: (sandbox) => Object.keys(sandbox.salesforce.demo.quirks),
  },
  {
    maxBatchSize: [{ value: 2 }],
    cursorTtlMs: [{ value: 0 }],
    shuffleTies: ON,
    commitLagMs: [{ value: 60_000 }],
    multiCurrency: [{ value: true }],
    contactsToMultipleAccounts: [{ value: true }],
    errorCodeFirst: ON,
    doneFirst: ON,
    limitInfo: [{ value: 'per-app' }, { value: 'bursts' }],
    stateAndCountryPicklists: ON,
    hiddenFields: [
      { value: ['Department', 'Birthdate'] },
      // A search by a hidden field must fail, and must not return an empty result.
      { value: ['Email'], but: NO_EMAILS },
    ],
    hiddenObjects: [
      { value: ['Account', 'User'] },
      { value: ['Contact'], but: noContacts(FORBIDDEN) },
    ],
    encryptedFields: [
      { value: { Phone: 'probabilistic', LastName: 'deterministic' } },
      // Equality works on encrypted emails, suffix matching does not: an error, and no empty result.
      { value: { Email: 'deterministic' }, but: NO_DOMAINS },
      { value: { Email: 'probabilistic' }, but: NO_EMAILS },
    ],
    customFields: [
      { value: { Favorite_Color__c: { type: 'boolean' }, Shoe_Size__c: { type: 'double' } } },
    ],
    userLocale: [{ value: 'tr' }],
    // These quirks concern writes.
    duplicateRule: [{ value: 'block' }, { value: 'alert' }],
    duplicateKeyMisspelt: ON,
    leads: [{ value: ['lead@here.example'] }],
    lockedEmails: [{ value: ['p2@here.example'] }],
    locksLast: ON,
    validationRule: [{ value: { field: 'FirstName', value: 'X', message: 'No.' } }],
    stagesStay: ON,
    namesDeleted: ON,
    rotateRefreshTokens: ON,
    refreshTokenIdleMs: [{ value: 86_400_000 }],
    // The old token has expired and another refresh is still running: a retryable error.
    refreshBusyMs: [{ value: 60_000, but: { refreshedAgain: 'REMOTE_PROVIDER_UNAVAILABLE' } }],
    sessionSlides: ON,
    jwtAccessTokens: ON,
    issuedAtInSeconds: ON,
    movedInstanceUrl: [
      {
        value: ({ salesforce: { origin } }: { readonly salesforce: { readonly origin: string } }) =>
          toMoved(origin),
        isExpired: true,
      },
    ],
    secretIsOptional: ON,
    // These quirks concern the consent pages and do not affect contacts.
    redirectUris: [{ value: [] }],
    openerPolicy: [{ value: 'same-origin' }],
    denyWithoutState: ON,
    denyWithoutDescription: ON,
    codeTtlMs: [{ value: 0 }],
    isTestOrg: ON,
    forbidsCommonLogin: ON,
    withoutRefreshToken: ON,
    callbackError: [{ value: 'OAUTH_APP_BLOCKED' }],
    // Refreshes are refused until an administrator acts; the tokens that are still valid work.
    blocksUninstalledApps: [
      { value: true, but: { refreshed: FORBIDDEN, refreshedAgain: FORBIDDEN } },
    ],
    pkceIsOptional: ON,
    takesLongVerifiers: ON,
    verifierErrorsSwapped: ON,
    deniedWithHyphen: ON,
  },
);
