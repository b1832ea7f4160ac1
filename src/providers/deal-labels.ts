import type { Deal, DealField } from '../domain/records/deal.ts';
import type { Pipeline } from '../domain/records/pipeline.ts';
import { type FieldSelection, readSelectedFields } from '../domain/records/record-search.ts';
import { RemoteFailure } from '../domain/remote.ts';

export function isSelected(selection: FieldSelection, name: DealField): boolean {
  return readSelectedFields(selection)?.has(name) ?? true;
}

/** Adds the labels of pipelines and stages, where they are selected and the connected user may see them. */
export async function labelDeals(
  deals: readonly Deal[],
  selection: FieldSelection,
  readPipelines: () => Promise<readonly Pipeline[]>,
): Promise<readonly Deal[]> {
  const areSelected = isSelected(selection, 'pipeline') || isSelected(selection, 'stage');
  if (!areSelected || !deals.some(({ pipeline, stage }) => pipeline ?? stage)) return deals;
  const pipelines = await unlessForbidden(readPipelines(), []);
  return deals.map((deal) => labelDeal(deal, pipelines));
}

function labelDeal(deal: Deal, pipelines: readonly Pipeline[]): Deal {
  const { pipeline, stage } = deal;
  const known = pipelines.find(({ id }) => id === pipeline?.id);
  const knownStage = known?.stages.find(({ id }) => id === stage?.id);
  return {
    ...deal,
    pipeline: pipeline && { id: pipeline.id, label: known?.label ?? pipeline.label },
    stage: stage && {
      id: stage.id,
      label: knownStage?.label ?? stage.label,
      status: knownStage?.status ?? stage.status,
      probability: stage.probability ?? knownStage?.probability ?? null,
    },
  };
}

/** The connected user may see deals, and not the settings of the account. */
export async function unlessForbidden<Read>(
  reading: Promise<Read>,
  otherwise: Read,
): Promise<Read> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof RemoteFailure && error.code === 'REMOTE_PROVIDER_FORBIDDEN')
      return otherwise;
    throw error;
  }
}
