import { hubspot } from '../../../src/providers/hubspot/provider.ts';
import { noContacts, testQuirks } from '../../provider-kit/quirks.ts';

const ON = [{ value: true }];
const ERROR = 'REMOTE_PROVIDER_ERROR';
const FORBIDDEN = 'REMOTE_PROVIDER_FORBIDDEN';
const CONTACTS_ALONE = { companies: FORBIDDEN, deals: FORBIDDEN };
const NOTHING_WITHOUT_OUR_VERSION = { ...noContacts(ERROR), companies: ERROR, deals: ERROR };

testQuirks(
  hubspot,
  {
    members: [1, 2, 3, 4, 5],
    createAccount: (sandbox, people, quirks) =>
      sandbox.hubspot.createAccount({ people, quirks, limits: null }),
    names: (sandbox) => Object.keys(sandbox.hubspot.demo.quirks),
  },
  {
    searchLagMs: [{ value: 60_000 }],
    searchLagVaries: ON,
    searchTotalWithoutResults: [{ value: true, but: { forward: [], backward: [], count: 0 } }],
    searchStaleHit: [{ value: '507' }, { value: '505' }],
    searchEmailMatchesAliases: ON,
    searchTokensAreWords: ON,
    // Contacts that match the domain only by a secondary address are then missing.
    searchRefusesTokensOfEnumerations: [
      { value: true, but: { forward: [2, 3, 4, 5, 6], backward: [2, 3, 4, 5, 6], count: 5 } },
    ],
    searchBodyLimit: ON,
    omitUnsetProperties: ON,
    batchReadAllMissingIs404: ON,
    batchReadRefusesDuplicates: ON,
    batchReadIgnoresAliases: [{ value: true, but: { byAlias: [[]] } }],
    batchReadRepeatsRecords: ON,
    // These quirks concern writes.
    writeErrorsInSuccess: ON,
    writeResultsWithoutTraceIds: ON,
    shortErrorLists: ON,
    upsertIgnoresAliases: ON,
    stagesMoveBack: ON,
    dealStagesStay: ON,
    closedDealsRequire: [{ value: ['closedate'] }],
    createRequires: [{ value: ['lastname'] }],
    propertyRules: [{ value: { firstname: '^[a-z]+$' } }],
    withoutRecordUrl: ON,
    shortTokenAnswer: ON,
    rotateRefreshTokens: ON,
    withoutRefreshToken: ON,
    spentRefreshTokenEndsAll: ON,
    endedVersions: [
      { value: { v1: 404, v3: 410, v4: 404 } },
      { value: { '2026-03': 404 }, but: NOTHING_WITHOUT_OUR_VERSION },
      { value: { '2026-03': 410 }, but: NOTHING_WITHOUT_OUR_VERSION },
    ],
    grantedScopes: [
      { value: ['oauth', 'crm.objects.contacts.read'], but: CONTACTS_ALONE },
      { value: ['oauth'], but: { ...noContacts(FORBIDDEN), ...CONTACTS_ALONE } },
    ],
    dateForm: [{ value: 'seconds' }, { value: 'epoch' }],
    emptyParts: ON,
    hiddenProperties: [{ value: ['jobtitle'] }],
    propertyTypes: [{ value: { favorite_color: { type: 'enumeration', fieldType: 'checkbox' } } }],
    associationPageSize: [{ value: 1 }, { value: 2 }],
    companyCurrency: [{ value: 'EUR' }],
    additionalCurrencies: [{ value: ['EUR', 'JPY'] }],
    associationLabel: [{ value: 'Adviser' }],
    // These quirks concern the consent pages and do not affect contacts.
    redirectUris: [{ value: [] }],
    openerPolicy: [{ value: 'same-origin' }],
    denyWithoutState: ON,
    denyWithoutDescription: ON,
    codeTtlMs: [{ value: 0 }],
    requiredScopes: [{ value: [] }],
    grantPerConsent: ON,
    oldAuthCodeErrors: ON,
    userMayNotInstall: ON,
  },
);
