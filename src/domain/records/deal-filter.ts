import { isDay } from '../../lib/text.ts';
import { day, field, id, type Of, patch } from '../shape.ts';
import {
  all,
  type Combination,
  customField,
  type DealConditions,
  declareFilter,
  modifiedSince,
  unprocessable,
} from './conditions.ts';
import { DEAL, type Deal } from './deal.ts';
import { dealStatus } from './pipeline.ts';

const dateRange = patch(
  'DateRange',
  'A range of days, both inclusive.',
  {},
  {
    from: field(day, 'First day. Default: no lower bound.', { example: '2026-01-01' }),
    to: field(day, 'Last day. Default: no upper bound.', { example: '2026-03-31' }),
  },
);

const inputs = {
  pipelineId: field(id, 'Pipeline that the deal is in.', { example: 'default' }),
  stageId: field(id, 'Stage that the deal is in.', { example: 'contractsent' }),
  status: field(dealStatus, 'Outcome of the deal.'),
  ownerId: field(id, 'User who owns the deal, by id in the CRM.', { example: '31' }),
  closeDate: field(dateRange, 'Days between which the deal was closed, or is expected to be.'),
};

/** Each condition by the field that it is verified by. */
const FIELD_OF = {
  pipelineId: 'pipeline',
  stageId: 'stage',
  status: 'status',
  ownerId: 'ownerId',
  closeDate: 'closeDate',
} as const satisfies Record<keyof DealConditions, keyof Deal>;

const combination: Combination<Deal> = {
  inputs,
  read(value) {
    const { pipelineId, stageId, status, ownerId, closeDate } = value as ConditionInputs;
    return {
      by: 'where',
      where: {
        ...(pipelineId != null && { pipelineId: readId('pipelineId', pipelineId) }),
        ...(stageId != null && { stageId: readId('stageId', stageId) }),
        ...(status != null && { status }),
        ...(ownerId != null && { ownerId: readId('ownerId', ownerId) }),
        ...(closeDate != null && { closeDate: readRange(closeDate) }),
      },
    };
  },
  verifiedFields: ({ where }) =>
    Object.keys(where).map((name) => FIELD_OF[name as keyof DealConditions]),
  matches: ({ pipeline, stage, status, ownerId, closeDate }, { where }) =>
    (where.pipelineId === undefined || pipeline?.id === where.pipelineId) &&
    (where.stageId === undefined || stage?.id === where.stageId) &&
    (where.status === undefined || status === where.status) &&
    (where.ownerId === undefined || ownerId === where.ownerId) &&
    (where.closeDate === undefined || isInRange(closeDate, where.closeDate)),
};

function readId(name: string, value: string): string {
  if (value !== '' && value.length <= MAX_ID_LENGTH && !/\p{Cc}|\p{Cs}/u.test(value)) return value;
  throw unprocessable(
    `The filter’s ${name} must have 1 to ${MAX_ID_LENGTH} characters, and no control characters.`,
  );
}

const MAX_ID_LENGTH = 255;

function readRange({ from, to }: RangeInput): NonNullable<DealConditions['closeDate']> {
  for (const one of [from, to])
    if (one != null && !isDay(one))
      throw unprocessable('The filter’s close date is not a date, such as 2026-01-31.');
  if (from == null && to == null)
    throw unprocessable('The filter’s close date has neither "from" nor "to".');
  if (from != null && to != null && from > to)
    throw unprocessable(`The filter’s close date ends before it begins: ${from} to ${to}.`);
  return { ...(from != null && { from }), ...(to != null && { to }) };
}

function isInRange(
  date: string | null,
  { from, to }: NonNullable<DealConditions['closeDate']>,
): boolean {
  return date !== null && (from === undefined || date >= from) && (to === undefined || date <= to);
}

export const DEALS = declareFilter(
  DEAL,
  { name: 'DealFilter', example: '{"status":"open"}' },
  { modifiedSince: modifiedSince('deals'), customField, all: all('deals') },
  combination,
);

export const dealFilters = DEALS.filters;

/** A filter as passed by an API: unchecked. */
export type DealFilterInput = Parameters<typeof dealFilters.read>[0] & Partial<ConditionInputs>;

type RangeInput = Of<typeof dateRange>;

type ConditionInputs = {
  readonly [Name in keyof typeof inputs]: Of<(typeof inputs)[Name]> | null | undefined;
};
