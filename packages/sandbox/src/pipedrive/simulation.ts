import { NORTHWIND } from '../account-names.ts';
import { CONSENT_QUIRKS } from '../consent/quirks.ts';
import { COMMON_FAULTS } from '../faults.ts';
import { NORTHWIND_PEOPLE } from '../people-northwind.ts';
import { PIPEDRIVE_FAULTS } from './faults.ts';
import { identify, mintToken } from './identity.ts';
import { toPipedriveId, toPipedriveIndex } from './record-ids.ts';
import { route } from './routes.ts';
import { ALL_SCOPES } from './scopes.ts';
import type { PipedriveSimulation } from './types.ts';

export const pipedriveSimulation: PipedriveSimulation = {
  name: 'pipedrive',
  quirks: {
    searchLagMs: 0,
    searchMatchesTooMuch: false,
    withoutContactSync: false,
    customFields: {},
    deletedFields: [],
    refusesUnknownKeys: false,
    lastWordIsLastName: false,
    goneOnWrite: [],
    maxPageSize: 500,
    emptyPages: false,
    withoutApiDomain: false,
    rotateRefreshTokens: false,
    withoutLimitHeaders: false,
    grantedScopes: ALL_SCOPES,
    ...CONSENT_QUIRKS,
    codeTtlMs: 5 * 60_000,
  },
  demoQuirks: {},
  limits: {
    tokensPerDay: 30_000,
    callsPerTwoSeconds: 80,
    searchesPerTwoSeconds: 10,
    refusalsPerMinute: 100,
  },
  faults: { ...COMMON_FAULTS, ...PIPEDRIVE_FAULTS },
  accessTokenTtlMs: 60 * 60_000,
  others: [{ number: NORTHWIND, people: NORTHWIND_PEOPLE }],
  toLoginOrigin: (_host, origin) => origin,
  identify,
  leastCompanies: 3,
  toRecordId: toPipedriveId,
  toRecordIndex: toPipedriveIndex,
  mintToken,
  openState: () => ({}),
  route,
};
