import type { CustomerAccount } from '../../domain/provider.ts';
import { MAX_PIPELINES, MAX_STAGES, type Pipeline } from '../../domain/records/pipeline.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import { getAll, V2 } from './call.ts';
import type { Wire } from './object.ts';
import { toId } from './values.ts';

/** The pipelines in their order, with their stages. A deal is won or lost in any stage, so stages have no status. */
export function readPipelines(
  account: CustomerAccount,
  maxAgeMs?: number,
): Promise<readonly Pipeline[]> {
  return account.remember('pipelines', () => fetchPipelines(account), maxAgeMs);
}

async function fetchPipelines(account: CustomerAccount): Promise<readonly Pipeline[]> {
  const [pipelines, stages] = await Promise.all([
    getAll(account, `${V2}/pipelines`, { max: MAX_PIPELINES }),
    getAll(account, `${V2}/stages`, { max: MAX_PIPELINES * MAX_STAGES }),
  ]);
  const allStages = inOrder(stages);
  return inOrder(pipelines).flatMap((pipeline) => {
    const id = toId(pipeline);
    if (id === null) return [];
    const pipelineStages = allStages
      .filter((stage) => toId(stage['pipeline_id']) === id)
      .slice(0, MAX_STAGES);
    const hasProbabilities = pipeline['is_deal_probability_enabled'] !== false;
    return {
      id,
      label: toText(pipeline['name']) ?? id,
      stages: pipelineStages.flatMap((stage) => toStage(stage, hasProbabilities)),
    };
  });
}

function toStage(stage: Wire, hasProbability: boolean): Pipeline['stages'] {
  const id = toId(stage);
  if (id === null) return [];
  const probability = hasProbability ? toProbability(stage['deal_probability']) : null;
  return [{ id, label: toText(stage['name']) ?? id, status: null, probability }];
}

/** Pipedrive has percents. */
export function toProbability(percents: unknown): number | null {
  return typeof percents === 'number' && percents >= 0 && percents <= 100 ? percents / 100 : null;
}

function inOrder(list: readonly unknown[]): Wire[] {
  const order = (one: Wire) => (typeof one['order_nr'] === 'number' ? one['order_nr'] : 0);
  return list.filter(isRecord).sort((one, other) => order(one) - order(other));
}
