import { hubspot } from '../../../src/providers/hubspot/provider.ts';
import { comesTo, testNamedFaults } from '../../provider-kit/named-faults.ts';

const ERROR = comesTo('REMOTE_PROVIDER_ERROR');
const FORBIDDEN = comesTo('REMOTE_PROVIDER_FORBIDDEN');
const BAD_RESPONSE = comesTo('REMOTE_PROVIDER_BAD_RESPONSE');
/** Tried again four times, at once. */
const DOWN = comesTo('REMOTE_PROVIDER_UNAVAILABLE', { calls: 5 });
const FOUND = comesTo('found');
const RECONNECT = comesTo('REMOTE_PROVIDER_UNAUTHORIZED', { at: 'token', status: 'reauthorize' });
const LATER = (waitMs: number | undefined, calls = 1) =>
  comesTo('REMOTE_PROVIDER_RATE_LIMITED', { waitMs, calls });

testNamedFaults(
  hubspot,
  {
    operations: { lookup: 'contacts.batchRead', domain: 'contacts.search', token: 'oauth.token' },
    createAccount: (sandbox, people) => sandbox.hubspot.createAccount({ people, limits: null }),
    names: (sandbox) => sandbox.hubspot.faultNames,
  },
  {
    // Once more with a new token.
    'expired-token': comesTo('REMOTE_PROVIDER_UNAUTHORIZED', { calls: 2, isFinal: true }),
    'missing-scopes': FORBIDDEN,
    'missing-scopes-in-context': FORBIDDEN,
    'refresh-refused': RECONNECT,
    'refresh-refused-for-an-unknown-reason': RECONNECT,
    'portal-gone': RECONNECT,
    'client-unknown': { ...ERROR, at: 'token' },
    'not-found': ERROR,
    conflict: ERROR,
    'uri-too-long': ERROR,
    locked: { ...DOWN, waitMs: 2_000 },
    // Searches are counted by the second.
    'rate-limit-search': { ...LATER(1_000, 5), at: 'domain' },
    'rate-limit-secondly-of-old': LATER(1_000, 5),
    'rate-limit-ten-secondly': LATER(10_000),
    'rate-limit-daily': LATER(300_000),
    'rate-limit-retry-after': LATER(3_000, 4),
    'rate-limit-retry-after-date': LATER(3_000, 4),
    'rate-limit-clock-ahead': LATER(3_000, 4),
    'rate-limit-cloudflare': LATER(10_000),
    'part-rate-limited': LATER(1_000),
    'part-rate-limited-in-a-200': LATER(1_000),
    migrating: comesTo('REMOTE_PROVIDER_UNAVAILABLE', { waitMs: 120_000 }),
    'server-error': DOWN,
    'bad-gateway': DOWN,
    unavailable: DOWN,
    'gateway-timeout': DOWN,
    'origin-down': DOWN,
    'origin-timeout': DOWN,
    'wrong-shape': BAD_RESPONSE,
    redirect: BAD_RESPONSE,
    'token-echoed': ERROR,
    'token-echoed-in-a-200': BAD_RESPONSE,
    'refresh-echoed': { ...ERROR, at: 'token' },
    'http-1.0': FOUND,
    closing: FOUND,
    dripping: FOUND,
  },
);
