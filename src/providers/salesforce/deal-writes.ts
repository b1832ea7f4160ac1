import type { CustomerAccount } from '../../domain/provider.ts';
import type { DealChangeField } from '../../domain/records/deal-changes.ts';
import type { ChangeTable } from '../../domain/records/writable.ts';
import { unlessForbidden } from '../deal-labels.ts';
import { createStageCheck } from '../deal-stages.ts';
import { CURRENCY } from './object.ts';
import { readPipelines } from './pipelines.ts';
import type { DeclaredWrites } from './writes.ts';

const FIELDS: ChangeTable<DealChangeField> = {
  name: { to: 'Name' },
  amount: { amount: 'Amount', currency: CURRENCY },
  // An org has one for all.
  pipelineId: { impliedBy: 'stageId' },
  stageId: { to: 'StageName' },
  closeDate: { day: 'CloseDate' },
  ownerId: { to: 'OwnerId' },
  nextStep: { to: 'NextStep' },
};

export function dealWrites(account: CustomerAccount): DeclaredWrites {
  return {
    fields: FIELDS,
    keyField: null,
    prepare: createStageCheck({
      read: (maxAgeMs) => unlessForbidden(readPipelines(account, maxAgeMs), []),
    }),
  };
}
