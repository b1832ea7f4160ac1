import type { CustomerAccount } from '../../domain/provider.ts';
import type { DealChangeField } from '../../domain/records/deal-changes.ts';
import type { ChangeTable } from '../../domain/records/writable.ts';
import type { DescribedField } from '../../domain/writing.ts';
import { unlessForbidden } from '../deal-labels.ts';
import { createStageCheck } from '../deal-stages.ts';
import { toWriting } from './fields.ts';
import { readPipelines } from './pipelines.ts';
import type { DeclaredWrites } from './writes.ts';

const FIELDS: ChangeTable<DealChangeField> = {
  name: { to: 'title' },
  amount: { amount: 'value', currency: 'currency' },
  // Pipedrive moves the deal to the pipeline of the stage.
  pipelineId: { impliedBy: 'stageId' },
  stageId: { to: 'stage_id' },
  closeDate: { day: 'expected_close_date' },
  ownerId: { to: 'owner_id' },
  nextStep: {
    readOnly: 'does not exist in Pipedrive, where the next activity is a record of its own.',
  },
};

export function dealWrites(account: CustomerAccount): DeclaredWrites {
  return {
    fields: FIELDS,
    keyField: null,
    parts: AMOUNT,
    requiresOneOf: ['title'],
    prepare: createStageCheck({
      read: (maxAgeMs) => unlessForbidden(readPipelines(account, maxAgeMs), []),
    }),
  };
}

/** Described as one field of two parts, and written as two fields. */
const AMOUNT: readonly DescribedField[] = [
  toField('value', 'NUMBER', 'double'),
  toField('currency', 'TEXT', 'varchar'),
];

function toField(name: string, type: DescribedField['type'], wireType: string): DescribedField {
  return {
    name,
    label: name,
    type,
    isCustom: false,
    isFilterable: false,
    choices: [],
    writing: toWriting(wireType, true),
  };
}
