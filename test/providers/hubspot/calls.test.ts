import { hubspot } from '../../../src/providers/hubspot/provider.ts';
import { testCalls } from '../../provider-kit/calls.ts';

testCalls(hubspot, {
  createAccount: ({ hubspot: crm }, people) => crm.createAccount({ people, limits: null }),
  limited: [
    {
      answer: {
        status: 429,
        body: { message: 'You have reached your secondly limit.', category: 'RATE_LIMITS' },
        headers: { 'retry-after': '90' },
      },
      pauseMs: 90_000,
    },
  ],
  limitHeaders: {
    headers: {
      'x-hubspot-ratelimit-max': '190',
      'x-hubspot-ratelimit-remaining': '42',
      'x-hubspot-ratelimit-interval-milliseconds': '10000',
    },
    status: { max: 190, remaining: 42, intervalMs: 10_000 },
  },
});
