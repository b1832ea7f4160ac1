import { salesforce } from '../../../src/providers/salesforce/provider.ts';
import { testCalls } from '../../provider-kit/calls.ts';

testCalls(salesforce, {
  createAccount: ({ salesforce: crm }, people) => crm.createAccount({ people, limits: null }),
  limited: [
    {
      answer: {
        status: 403,
        body: [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message: 'TotalRequests Limit exceeded.' }],
      },
      pauseMs: 60_000,
    },
    { answer: { status: 429, headers: { 'retry-after': '90' } }, pauseMs: 90_000 },
  ],
  limitHeaders: {
    headers: { 'sforce-limit-info': 'api-usage=18/5000' },
    status: { max: 5_000, remaining: 4_982, intervalMs: 86_400_000 },
  },
});
