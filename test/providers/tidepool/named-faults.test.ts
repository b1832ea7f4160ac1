import { COMMON_FAULTS } from '@crossbook/sandbox';
import { comesTo, testNamedFaults } from '../../provider-kit/named-faults.ts';
import { tidepool } from './adapter.ts';
import { useTidepool } from './open-simulation.ts';

const crm = useTidepool();

testNamedFaults(
  tidepool,
  {
    operations: { lookup: '/v1/people/lookup', domain: '/v1/people', token: '/v1/token' },
    createAccount: (_sandbox, people) => crm().createAccount({ people, limits: null }),
    names: () => Object.keys(COMMON_FAULTS),
  },
  {
    'token-echoed': comesTo('REMOTE_PROVIDER_ERROR'),
    'token-echoed-in-a-200': comesTo('REMOTE_PROVIDER_BAD_RESPONSE'),
    'refresh-echoed': comesTo('REMOTE_PROVIDER_ERROR', { at: 'token' }),
    'http-1.0': comesTo('found'),
    closing: comesTo('found'),
    dripping: comesTo('found'),
  },
);
