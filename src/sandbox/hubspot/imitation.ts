import { bearerOf, jsonAnswer } from '../http.ts';
import { identify, mintToken } from './identity.ts';
import type { HubSpotImitation } from './types.ts';

export const hubSpotImitation: HubSpotImitation = {
  name: 'hubspot',
  quirks: {
    searchLagMs: 0,
    searchTotalWithoutResults: false,
    searchStaleHit: null,
    searchEmailMatchesAliases: false,
    searchBodyLimit: false,
    omitUnsetProperties: false,
    batchReadAllMissingIs404: false,
    withoutRecordUrl: false,
    shortTokenAnswer: false,
    rotateRefreshTokens: false,
    withoutRefreshToken: false,
  },
  limits: { searchPerSecond: 5, perTenSeconds: 190, perDay: 650_000 },
  faults: {},
  accessTokenTtlMs: 30 * 60_000,
  identify,
  mintToken,
  openState: () => ({ meters: undefined }),
  route: (request) => ({
    operation: 'unknown',
    inputs: 1,
    token: bearerOf(request),
    answer: () => jsonAnswer(404, { status: 'error', message: 'resource not found' }),
  }),
};
