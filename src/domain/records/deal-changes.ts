import { withNotes } from '../../provider-texts.ts';
import { day, id, nullable, string } from '../shape.ts';
import { DEAL } from './deal.ts';
import { money } from './money.ts';
import { declareWritable } from './writable.ts';

/** What can be written of a deal. An adapter says of each field how its CRM takes it, or that it does not. */
const writableFields = {
  name: nullable(string, 'Name.', { example: 'Analytical Engines: 20 seats' }),
  amount: nullable(money, withNotes('Amount.', 'dealChanges.amount')),
  pipelineId: nullable(
    id,
    'Id of the pipeline, which is written together with a stage of it. Default: the pipeline of `stageId`.',
    { example: 'default' },
  ),
  stageId: nullable(
    id,
    withNotes('Id of the stage. `pipelines` lists those of each pipeline.', 'dealChanges.stageId'),
    { example: 'contractsent' },
  ),
  closeDate: nullable(
    day,
    withNotes('Day on which the deal was closed, or is expected to be.', 'dealChanges.closeDate'),
    { example: '2026-03-31' },
  ),
  ownerId: nullable(id, 'Id, in the CRM, of the user who owns the deal.', { example: '31' }),
  nextStep: nullable(string, withNotes('Next step.', 'dealChanges.nextStep'), {
    example: 'Send the contract',
  }),
};

export type DealChangeField = keyof typeof writableFields;

/** Nothing identifies a deal outside of its CRM, so it has no upsert. */
export const WRITABLE_DEALS = declareWritable(DEAL, {
  fields: writableFields,
  exampleChanges: { name: 'Analytical Engines: 20 seats', stage_id: 'contractsent' },
});
