import type { CustomerAccount } from '../../domain/provider.ts';
import type { DealChangeField } from '../../domain/records/deal-changes.ts';
import type { ChangeTable } from '../../domain/records/writable.ts';
import { unlessForbidden } from '../deal-labels.ts';
import { createStageCheck } from '../deal-stages.ts';
import { readCurrency, readPipelines } from './pipelines.ts';
import type { DeclaredWrites } from './writes.ts';

const CURRENCY = 'deal_currency_code';
const PIPELINE = 'pipeline';

const FIELDS: ChangeTable<DealChangeField> = {
  name: { to: 'dealname' },
  amount: { amount: 'amount', currency: CURRENCY },
  pipelineId: { to: PIPELINE },
  stageId: { to: 'dealstage' },
  closeDate: { day: 'closedate' },
  ownerId: { to: 'hubspot_owner_id' },
  nextStep: { to: 'hs_next_step' },
};

export function dealWrites(account: CustomerAccount): DeclaredWrites {
  const checkStage = createStageCheck({
    read: (maxAgeMs) => unlessForbidden(readPipelines(account, maxAgeMs), []),
    pipelineField: PIPELINE,
  });
  return {
    fields: FIELDS,
    keyField: null,
    requiresOneOf: ['dealname'],

    async prepare(translated, given) {
      const { changes, problems } = await checkStage(translated, given);
      if (!changes.some(({ crmField }) => crmField === CURRENCY)) return { changes, problems };
      // Portals with one currency name it in no deal.
      const fallback = (await unlessForbidden(readCurrency(account), null)) ?? undefined;
      return {
        changes: changes.map((one) => (one.crmField === CURRENCY ? { ...one, fallback } : one)),
        problems,
      };
    },
  };
}
