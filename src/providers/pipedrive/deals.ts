import { DEAL, type Deal } from '../../domain/records/deal.ts';
import { dealFilters } from '../../domain/records/deal-filter.ts';
import { toMoney } from '../../domain/records/money.ts';
import type { DealStatus } from '../../domain/records/pipeline.ts';
import { toDay, toText } from '../../lib/text.ts';
import { labelDeals } from '../deal-labels.ts';
import type { PipedriveObject } from './object.ts';
import { readPipelines, toProbability } from './pipelines.ts';
import { toId } from './values.ts';

export const DEAL_OBJECT: PipedriveObject<Deal> = {
  kind: DEAL,
  filters: dealFilters,
  name: 'deals',
  fields: 'dealFields',
  writable: new Set([
    'title',
    'value',
    'currency',
    'status',
    'stage_id',
    'expected_close_date',
    'owner_id',
    'person_id',
    'org_id',
    'lost_reason',
    'label_ids',
  ]),
  toFields(deal) {
    const pipelineId = toId(deal['pipeline_id']);
    const stageId = toId(deal['stage_id']);
    const status = toStatus(deal['status']);
    const stage = { id: stageId ?? '', label: null, status: null };
    return {
      name: toText(deal['title']),
      amount: toMoney(deal['value'], deal['currency']),
      status,
      pipeline: pipelineId === null ? null : { id: pipelineId, label: null },
      stage:
        stageId === null ? null : { ...stage, probability: toProbability(deal['probability']) },
      closeDate: toDay(status === 'open' ? deal['expected_close_date'] : closeTimeOf(deal)),
      ownerId: toId(deal['owner_id']),
      // The next activity of a deal is another record.
      nextStep: null,
    };
  },
  complete: (account, deals, selection) =>
    labelDeals(deals, selection, () => readPipelines(account)),
};

/** The day on which a closed deal was closed, or else the day that was expected. */
function closeTimeOf(deal: Readonly<Record<string, unknown>>): unknown {
  return deal['close_time'] ?? deal['expected_close_date'];
}

function toStatus(status: unknown): DealStatus | null {
  return status === 'open' || status === 'won' || status === 'lost' ? status : null;
}
