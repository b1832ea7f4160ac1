import { pipedrive } from '../../../src/providers/pipedrive/provider.ts';
import { comesTo, type Outcomes, testNamedFaults } from '../../provider-kit/named-faults.ts';

const LIMITED = 'REMOTE_PROVIDER_RATE_LIMITED';
const DOWN = 'REMOTE_PROVIDER_UNAVAILABLE';

const OUTCOMES: Outcomes = {
  'token-echoed': comesTo('REMOTE_PROVIDER_ERROR'),
  'token-echoed-in-a-200': comesTo('REMOTE_PROVIDER_BAD_RESPONSE'),
  'refresh-echoed': comesTo('REMOTE_PROVIDER_ERROR', { at: 'token' }),
  'http-1.0': comesTo('found'),
  closing: comesTo('found'),
  dripping: comesTo('found'),
  'token-refused': comesTo('REMOTE_PROVIDER_UNAUTHORIZED', { calls: 2, isFinal: true }),
  'missing-scope': comesTo('REMOTE_PROVIDER_FORBIDDEN'),
  'plan-cap': comesTo('REMOTE_PROVIDER_FORBIDDEN'),
  'company-closed': comesTo('REMOTE_PROVIDER_FORBIDDEN'),
  'refresh-refused': comesTo('REMOTE_PROVIDER_UNAUTHORIZED', {
    at: 'token',
    status: 'reauthorize',
  }),
  'client-unknown': comesTo('REMOTE_PROVIDER_ERROR', { at: 'token' }),
  'rate-limit-burst': comesTo(LIMITED, { calls: 5, waitMs: 2_000 }),
  'rate-limit-without-headers': comesTo(LIMITED, { calls: 5, waitMs: 2_000 }),
  // It ends at midnight, twelve hours later, and is not tried before.
  'rate-limit-daily': comesTo(LIMITED, { waitMs: 12 * 60 * 60_000 }),
  'blocked-by-cloudflare': comesTo(LIMITED, { waitMs: 60_000 }),
  'not-found': comesTo('REMOTE_PROVIDER_ERROR'),
  'server-error': comesTo(DOWN, { calls: 5 }),
  'not-a-success': comesTo('REMOTE_PROVIDER_ERROR'),
  'bad-gateway': comesTo(DOWN, { calls: 5 }),
  unavailable: comesTo(DOWN, { calls: 5 }),
};

testNamedFaults(
  pipedrive,
  {
    operations: { lookup: 'persons.search', domain: 'persons.list', token: 'oauth.token' },
    createAccount: ({ pipedrive: crm }, people) => crm.createAccount({ people, limits: null }),
    names: ({ pipedrive: crm }) => crm.faultNames,
  },
  OUTCOMES,
);
