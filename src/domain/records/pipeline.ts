import { field, float, id, listOf, nullable, type Of, shape, string, words } from '../shape.ts';

export const dealStatus = words('DealStatus', 'Outcome of a deal.', {
  open: 'The deal is neither won nor lost.',
  won: 'The deal was won.',
  lost: 'The deal was lost.',
});

export const stage = shape('DealStage', 'A stage of a pipeline.', {
  id: field(id, 'Id of the stage in the CRM.', { example: 'contractsent' }),
  label: nullable(string, 'Name of the stage, as users of the CRM see it.', {
    example: 'Contract sent',
  }),
  status: nullable(
    dealStatus,
    'Outcome that a deal has in this stage. Null where the CRM ties none to it.',
  ),
  probability: nullable(float, 'Probability of winning, from 0 to 1.', { example: 0.9 }),
});

/** A pipeline as deals refer to it. */
export const pipelineReference = shape('DealPipeline', 'The pipeline of a deal.', {
  id: field(id, 'Id of the pipeline in the CRM.', { example: 'default' }),
  label: nullable(string, 'Name of the pipeline, as users of the CRM see it.', {
    example: 'Sales',
  }),
});

export const pipeline = shape('Pipeline', 'A pipeline of deals in a customer’s CRM.', {
  id: field(id, 'Id of the pipeline in the CRM.', { example: 'default' }),
  label: field(string, 'Name of the pipeline, as users of the CRM see it.', { example: 'Sales' }),
  stages: field(listOf(stage), 'Stages in their order.', { items: 8 }),
});

export type DealStatus = Of<typeof dealStatus>;
export type Stage = Of<typeof stage>;
export type PipelineReference = Of<typeof pipelineReference>;
export type Pipeline = Of<typeof pipeline>;

/** An account with more is read up to here. */
export const MAX_PIPELINES = 100;
export const MAX_STAGES = 200;
