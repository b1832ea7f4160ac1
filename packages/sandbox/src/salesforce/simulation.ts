import { NORTHWIND, NORTHWIND_TEST } from '../account-names.ts';
import { CONSENT_QUIRKS } from '../consent/quirks.ts';
import { COMMON_FAULTS } from '../faults.ts';
import { createRollingWindow } from '../limits.ts';
import { NORTHWIND_PEOPLE, NORTHWIND_TEST_PEOPLE } from '../people-northwind.ts';
import { toSalesforceId, toSalesforceIndex } from './data/record-table.ts';
import { SALESFORCE_FAULTS } from './faults.ts';
import { identify, mintToken } from './identity.ts';
import { toLoginOrigin } from './login-host.ts';
import { createCursorBook } from './resources/cursors.ts';
import { route } from './route.ts';
import type { SalesforceSimulation } from './types.ts';

export const salesforceSimulation: SalesforceSimulation = {
  name: 'salesforce',
  quirks: {
    maxBatchSize: 2_000,
    cursorTtlMs: 2 * 24 * 60 * 60_000,
    shuffleTies: false,
    commitLagMs: 0,
    errorCodeFirst: false,
    doneFirst: false,
    limitInfo: 'plain',
    stateAndCountryPicklists: false,
    multiCurrency: false,
    contactsToMultipleAccounts: false,
    hiddenFields: [],
    hiddenObjects: [],
    encryptedFields: {},
    customFields: {},
    userLocale: 'en',
    duplicateRule: null,
    duplicateKeyMisspelt: false,
    leads: [],
    lockedEmails: [],
    locksLast: false,
    validationRule: null,
    stagesStay: false,
    namesDeleted: false,
    rotateRefreshTokens: false,
    refreshTokenIdleMs: null,
    refreshBusyMs: 0,
    sessionSlides: false,
    jwtAccessTokens: false,
    issuedAtInSeconds: false,
    movedInstanceUrl: null,
    secretIsOptional: false,
    ...CONSENT_QUIRKS,
    codeTtlMs: 15 * 60_000,
    isTestOrg: false,
    forbidsCommonLogin: false,
    withoutRefreshToken: false,
    callbackError: null,
    blocksUninstalledApps: false,
    pkceIsOptional: false,
    takesLongVerifiers: false,
    verifierErrorsSwapped: false,
    deniedWithHyphen: false,
  },
  demoQuirks: { multiCurrency: true, contactsToMultipleAccounts: true },
  limits: { requestsPerDay: 100_000, longRequests: 25, longRequestMs: 20_000 },
  faults: { ...COMMON_FAULTS, ...SALESFORCE_FAULTS },
  maxApprovals: 5,
  accessTokenTtlMs: 2 * 60 * 60_000,
  others: [
    { number: NORTHWIND, people: NORTHWIND_PEOPLE },
    { number: NORTHWIND_TEST, people: NORTHWIND_TEST_PEOPLE, quirks: { isTestOrg: true } },
  ],
  toLoginOrigin,
  identify,
  leastCompanies: 20,
  toRecordId: toSalesforceId,
  toRecordIndex: toSalesforceIndex,
  mintToken,
  openState: () => ({
    // This only counts the calls of the last 24 hours; the account's own limit is enforced elsewhere.
    requests: createRollingWindow({ max: Number.POSITIVE_INFINITY, windowMs: 24 * 60 * 60_000 }),
    cursors: createCursorBook(),
    lockTries: new Map(),
    shuffles: 0,
    refreshed: undefined,
  }),
  route,
};
