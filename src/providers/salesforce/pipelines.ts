import type { CustomerAccount } from '../../domain/provider.ts';
import {
  type DealStatus,
  MAX_STAGES,
  type Pipeline,
  type Stage,
} from '../../domain/records/pipeline.ts';
import { toText } from '../../lib/text.ts';
import { createCall } from './call.ts';
import { type Pages, type Row, readRows, toPath } from './query.ts';
import { booleanLiteral, compare, fieldName, OPPORTUNITY_STAGE, select } from './soql.ts';

/** All opportunities of an org have the same stages. */
export const PIPELINE = { id: 'opportunities', label: 'Opportunities' };

/** The stages of all opportunities, in their order. */
export function readPipelines(
  account: CustomerAccount,
  maxAgeMs?: number,
): Promise<readonly Pipeline[]> {
  return account.remember(PIPELINES, () => fetchPipelines(account), maxAgeMs);
}

async function fetchPipelines({ send }: CustomerAccount): Promise<readonly Pipeline[]> {
  return toPipelines(await readRows(createCall(send), [STAGES_QUERY]));
}

/** Reads the stages, unless they are known, as one more query of a call that is made for deals anyway. */
export function joinStages(account: CustomerAccount): JoinedQuery | undefined {
  let settle: JoinedQuery['settle'] | undefined;
  const read = () =>
    new Promise<readonly Pipeline[]>((resolve, reject) => {
      settle = (found) => (found instanceof Error ? reject(found) : resolve(toPipelines(found)));
    });
  // Those who need the labels get the error.
  account.remember(PIPELINES, read).catch(() => undefined);
  return settle && { query: STAGES_QUERY, settle };
}

function toPipelines(pages: Pages): readonly Pipeline[] {
  const stages = pages.flat().sort((one, other) => placeOf(one) - placeOf(other));
  return [{ ...PIPELINE, stages: stages.flatMap(toStage) }];
}

function toStage(row: Row): Stage[] {
  const id = toText(row['ApiName']);
  if (id === null) return [];
  const label = toText(row['MasterLabel']) ?? id;
  return [
    { id, label, status: toStatus(row), probability: toProbability(row['DefaultProbability']) },
  ];
}

/** Of the stage. Null if the connected user cannot see these fields. */
export function toStatus(row: Row): DealStatus | null {
  const { IsWon: isWon, IsClosed: isClosed } = row;
  if (typeof isWon !== 'boolean' || typeof isClosed !== 'boolean') return null;
  if (isWon) return 'won';
  return isClosed ? 'lost' : 'open';
}

/** A percentage as a number from 0 to 1. */
export function toProbability(percent: unknown): number | null {
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent / 100 : null;
}

function placeOf({ SortOrder: place }: Row): number {
  return typeof place === 'number' ? place : 0;
}

const FIELDS = [
  'ApiName',
  'MasterLabel',
  'IsClosed',
  'IsWon',
  'DefaultProbability',
  'SortOrder',
].map(fieldName);

const PIPELINES = 'pipelines';

/** Those that are in use. */
const STAGES_QUERY = toPath(
  select({
    fields: FIELDS,
    from: OPPORTUNITY_STAGE,
    where: compare(fieldName('IsActive'), '=', booleanLiteral(true)),
    limit: MAX_STAGES,
  }),
  'query',
);

interface JoinedQuery {
  readonly query: string;
  settle(found: Pages | Error): void;
}
