import { NORTHWIND } from '../account-names.ts';
import { CONSENT_QUIRKS } from '../consent/quirks.ts';
import { COMMON_FAULTS } from '../faults.ts';
import { NORTHWIND_PEOPLE } from '../people-northwind.ts';
import { HUBSPOT_FAULTS } from './faults.ts';
import { identify, mintToken } from './identity.ts';
import { toHubSpotId, toHubSpotIndex } from './record-objects.ts';
import { route } from './routes.ts';
import { ALL_SCOPES } from './scopes.ts';
import type { HubSpotSimulation } from './types.ts';

export const hubSpotSimulation: HubSpotSimulation = {
  name: 'hubspot',
  quirks: {
    searchLagMs: 0,
    searchLagVaries: false,
    searchTotalWithoutResults: false,
    searchStaleHit: null,
    searchEmailMatchesAliases: false,
    searchTokensAreWords: false,
    searchRefusesTokensOfEnumerations: false,
    searchBodyLimit: false,
    omitUnsetProperties: false,
    batchReadAllMissingIs404: false,
    batchReadRefusesDuplicates: false,
    batchReadIgnoresAliases: false,
    batchReadRepeatsRecords: false,
    writeErrorsInSuccess: false,
    writeResultsWithoutTraceIds: false,
    shortErrorLists: false,
    upsertIgnoresAliases: false,
    stagesMoveBack: false,
    dealStagesStay: false,
    closedDealsRequire: [],
    createRequires: [],
    propertyRules: {},
    withoutRecordUrl: false,
    shortTokenAnswer: false,
    rotateRefreshTokens: false,
    withoutRefreshToken: false,
    spentRefreshTokenEndsAll: false,
    endedVersions: {},
    grantedScopes: ALL_SCOPES,
    dateForm: 'milliseconds',
    emptyParts: false,
    propertyTypes: {},
    hiddenProperties: [],
    associationPageSize: 500,
    associationLabel: null,
    companyCurrency: 'USD',
    additionalCurrencies: [],
    ...CONSENT_QUIRKS,
    codeTtlMs: 5 * 60_000,
    requiredScopes: ['oauth'],
    grantPerConsent: false,
    oldAuthCodeErrors: false,
    userMayNotInstall: false,
  },
  demoQuirks: { additionalCurrencies: ['EUR'] },
  limits: {
    searchPerSecond: 5,
    perTenSeconds: 190,
    perTenSecondsOAuth: 110,
    perDay: 650_000,
    associationsPerTenSeconds: null,
  },
  faults: { ...COMMON_FAULTS, ...HUBSPOT_FAULTS },
  accessTokenTtlMs: 30 * 60_000,
  others: [{ number: NORTHWIND, people: NORTHWIND_PEOPLE }],
  toLoginOrigin: (_host, origin) => origin,
  identify,
  leastCompanies: 0,
  toRecordId: toHubSpotId,
  toRecordIndex: toHubSpotIndex,
  mintToken,
  openState: () => ({}),
  route,
};
