import type { UsageCounts } from '../../domain/usage.ts';
import {
  DEFAULT_ROWS,
  MAX_ROWS,
  readUsageByApplication,
  readUsageByCustomer,
  readUsageByHour,
} from '../../usecases/usage.ts';
import { APPLICATION, type Command, type Invocation, toTable } from '../command.ts';

const PERIOD: NonNullable<Command['options']> = {
  since: {
    value: 'TIME',
    description:
      'Only hours that begin at or after this time, such as 2026-01-31T00:00:00Z. Default: 24 hours ago',
  },
  until: { value: 'TIME', description: 'Before this time. Default: now' },
};
const FIRST = {
  value: 'NUMBER',
  description: `Rows, at most ${MAX_ROWS}. Default: ${DEFAULT_ROWS}`,
};
const KEPT =
  'Usage is counted by the hour, stored within ten seconds, and kept for 90 days. Cost is the query cost that counts towards rate limits.';
const OTHER = '(other)';
const HEAD = ['requests', 'errors', 'CRM calls', 'cost'];

/** Commands that show who uses how much. */
export const usageCommands: readonly Command[] = [
  {
    name: 'usage apps',
    summary: 'Shows the usage of each application, those with the most requests first.',
    details: [KEPT],
    options: { ...PERIOD, first: FIRST },
    async run(invocation) {
      const data = await readUsageByApplication(await open(invocation), readPeriod(invocation));
      return toResult(
        data,
        data.applications.map((one) => [one.name, one]),
        'application',
      );
    },
  },
  {
    name: 'usage customers',
    summary:
      'Shows the usage of each customer of an application, those with the most requests first.',
    details: [
      KEPT,
      `"${OTHER}" stands for requests that concern no customer or several, for customers that were deleted, and for those`,
      'beyond the first 1,000 of the application in an hour.',
    ],
    operands: [APPLICATION],
    options: { ...PERIOD, first: FIRST },
    async run(invocation) {
      const query = { application: invocation.operand('APPLICATION'), ...readPeriod(invocation) };
      const data = await readUsageByCustomer(await open(invocation), query);
      return toResult(
        data,
        data.customers.map((one) => [one.customerId ?? OTHER, one]),
        'customer',
      );
    },
  },
  {
    name: 'usage hours',
    summary: 'Shows the usage of an application, or of one customer, by the hour.',
    details: [KEPT],
    operands: [APPLICATION],
    options: { ...PERIOD, customer: { value: 'CUSTOMER', description: 'Only this customer.' } },
    async run(invocation) {
      const data = await readUsageByHour(await open(invocation), {
        application: invocation.operand('APPLICATION'),
        customerId: invocation.text('customer'),
        ...readPeriod(invocation),
      });
      return toResult(
        data,
        data.hours.map((one) => [one.hour.slice(0, 16), one]),
        'hour (UTC)',
      );
    },
  },
];

async function open({ openDatabase, now }: Invocation) {
  const { admin, usage } = await openDatabase();
  return { listApplications: admin.listApplications, usage, now };
}

function readPeriod({ text, number }: Invocation) {
  return { since: text('since'), until: text('until'), first: number('first') };
}

function toResult(
  data: unknown,
  rows: readonly (readonly [name: string, counts: UsageCounts])[],
  what: string,
) {
  const cells = rows.map(([name, { requests, errors, providerCalls, cost }]) => [
    name,
    ...[requests, errors, providerCalls, cost].map(String),
  ]);
  return {
    data,
    text: rows.length > 0 ? toTable([[what, ...HEAD], ...cells]) : 'There is no usage.',
  };
}
