import { COMMON_FAULTS } from '../faults.ts';
import { HUBSPOT_FAULTS } from './faults.ts';
import { identify, mintToken } from './identity.ts';
import { route } from './routes.ts';
import { ALL_SCOPES } from './scopes.ts';
import type { HubSpotImitation } from './types.ts';

export const hubSpotImitation: HubSpotImitation = {
  name: 'hubspot',
  quirks: {
    searchLagMs: 0,
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
    associationPageSize: 500,
    associationLabel: null,
  },
  limits: {
    searchPerSecond: 5,
    perTenSeconds: 190,
    perTenSecondsOAuth: 110,
    perDay: 650_000,
    associationsPerTenSeconds: null,
  },
  faults: { ...COMMON_FAULTS, ...HUBSPOT_FAULTS },
  accessTokenTtlMs: 30 * 60_000,
  identify,
  mintToken,
  openState: () => ({}),
  route,
};
