import { pipedrive } from '../../../src/providers/pipedrive/provider.ts';
import { testCalls } from '../../provider-kit/calls.ts';

testCalls(pipedrive, {
  createAccount: ({ pipedrive: crm }, people) => crm.createAccount({ people, limits: null }),
  callsPerBatch: 51,
  limited: [{ answer: { status: 429, headers: { 'retry-after': '90' } }, pauseMs: 90_000 }],
  limitHeaders: {
    headers: { 'x-ratelimit-limit': '80', 'x-ratelimit-remaining': '42' },
    status: { max: 80, remaining: 42, intervalMs: 2_000 },
  },
});
