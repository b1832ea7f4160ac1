import { withNotes } from '../../provider-texts.ts';
import { day, id, nullable, type Of, shape, string } from '../shape.ts';
import { money } from './money.ts';
import { dealStatus, pipelineReference, stage } from './pipeline.ts';
import { type CrmRecord, commonFields, type RecordKind, remoteIdField } from './record.ts';

const NOUNS = { noun: 'deal', nouns: 'deals' };

/** Fields that are requested from a CRM. */
const selectableFields = {
  name: nullable(string, 'Name.', { example: 'Analytical Engines: 20 seats' }),
  amount: nullable(money, 'Amount.'),
  status: nullable(dealStatus, 'Outcome. Null if the connected user cannot see it.'),
  pipeline: nullable(pipelineReference, 'Pipeline that the deal is in.'),
  stage: nullable(
    stage,
    'Stage that the deal is in. Its `probability` is that of the deal where users can change it for one deal.',
  ),
  closeDate: nullable(day, 'Day on which the deal was closed, or is expected to be.', {
    example: '2026-03-31',
  }),
  ownerId: nullable(id, 'Id, in the CRM, of the user who owns the deal.', { example: '31' }),
  nextStep: nullable(string, 'Next step, as written in the CRM.', { example: 'Send the contract' }),
  ...commonFields(NOUNS),
};

export const deal = shape(
  'Deal',
  withNotes(
    'A deal in a customer’s CRM, in one common shape for all CRMs: a possible sale, open, won or lost.',
    'deal',
  ),
  { remoteId: remoteIdField(NOUNS, '3001'), ...selectableFields },
);

/** A deal of a customer's CRM in the common shape. */
export interface Deal extends CrmRecord, Of<typeof deal> {}

export type DealField = keyof typeof selectableFields;

/** Selectable fields; source and id are always present. */
export const DEAL_FIELDS = Object.keys(selectableFields) as readonly DealField[];

export const DEAL: RecordKind<Deal> = {
  type: 'DEAL',
  key: 'deals ',
  ...NOUNS,
  shape: deal,
  fields: DEAL_FIELDS,
};
