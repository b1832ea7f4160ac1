import { salesforce } from '../../../src/providers/salesforce/provider.ts';
import { comesTo, testNamedFaults } from '../../provider-kit/named-faults.ts';

const ERROR = comesTo('REMOTE_PROVIDER_ERROR');
const FORBIDDEN = comesTo('REMOTE_PROVIDER_FORBIDDEN');
const UNAUTHORIZED = comesTo('REMOTE_PROVIDER_UNAUTHORIZED');
const LATER = comesTo('REMOTE_PROVIDER_RATE_LIMITED');
/** Tried again four times, at once. */
const DOWN = comesTo('REMOTE_PROVIDER_UNAVAILABLE', { calls: 5 });
const FOUND = comesTo('found');
const RECONNECT = comesTo('REMOTE_PROVIDER_UNAUTHORIZED', { at: 'token', status: 'reauthorize' });

testNamedFaults(
  salesforce,
  {
    operations: { lookup: 'query', domain: 'query', token: 'oauth.token' },
    createAccount: (sandbox, people) => sandbox.salesforce.createAccount({ people, limits: null }),
    names: (sandbox) => sandbox.salesforce.faultNames,
  },
  {
    // Once more with a new token.
    'session-expired': { ...UNAUTHORIZED, calls: 2, isFinal: true },
    'auth-header-invalid': { ...UNAUTHORIZED, calls: 2, isFinal: true },
    // A new token would not help.
    'session-not-for-rest': UNAUTHORIZED,
    'app-not-attached': UNAUTHORIZED,
    'total-requests': { ...LATER, waitMs: 60_000 },
    'concurrent-requests': { ...LATER, waitMs: 2_000 },
    // Nothing says for how long.
    'rate-limited': { ...LATER, calls: 5 },
    'api-disabled': FORBIDDEN,
    'insufficient-access': FORBIDDEN,
    'not-found': ERROR,
    'error-code-first': ERROR,
    conflict: ERROR,
    locked: DOWN,
    // The query is repeated once, from its first page.
    'invalid-locator': { ...ERROR, calls: 2 },
    'query-timeout': comesTo('REMOTE_PROVIDER_TIMEOUT'),
    'query-too-complicated': ERROR,
    'server-error': DOWN,
    unavailable: DOWN,
    maintenance: DOWN,
    'bad-gateway': DOWN,
    'out-of-reach': DOWN,
    'uri-too-long': ERROR,
    'headers-too-long': ERROR,
    xml: ERROR,
    'refresh-refused': RECONNECT,
    'authentication-failure': RECONNECT,
    'inactive-user': RECONNECT,
    'inactive-org': RECONNECT,
    'ip-restricted': { ...FORBIDDEN, at: 'token' },
    'login-hours': { ...FORBIDDEN, at: 'token' },
    'app-blocked': { ...FORBIDDEN, at: 'token' },
    'app-not-installed': { ...FORBIDDEN, at: 'token' },
    'app-not-approved': { ...FORBIDDEN, at: 'token' },
    'approval-error': { ...FORBIDDEN, at: 'token' },
    'refresh-in-progress': comesTo('REMOTE_PROVIDER_UNAVAILABLE', { at: 'token' }),
    'token-rate-limited': { ...LATER, at: 'token' },
    'token-echoed': ERROR,
    'token-echoed-in-a-200': comesTo('REMOTE_PROVIDER_BAD_RESPONSE'),
    'refresh-echoed': { ...ERROR, at: 'token' },
    'http-1.0': FOUND,
    closing: FOUND,
    dripping: FOUND,
  },
);
