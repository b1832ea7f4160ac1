import { testCalls } from '../../provider-kit/calls.ts';
import { tidepool } from './adapter.ts';
import { useTidepool } from './open-simulation.ts';

const crm = useTidepool();

testCalls(tidepool, {
  createAccount: (_sandbox, people) => crm().createAccount({ people, limits: null }),
  limited: [{ answer: { status: 429, headers: { 'retry-after': '90' } }, pauseMs: 90_000 }],
  limitHeaders: {
    headers: { 'x-tidepool-limit': '50', 'x-tidepool-remaining': '42' },
    status: { max: 50, remaining: 42, intervalMs: 1_000 },
  },
});
