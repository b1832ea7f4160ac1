import { PIPELINES, type Pipeline, type Stage } from '../deal-stages.ts';
import { notFound } from './errors.ts';
import type { Endpoint } from './types.ts';

/** The pipelines of deals, with their archived stages. Numbers and booleans of a stage are strings. */
export const listPipelines: Endpoint = () => ({
  status: 200,
  body: { results: PIPELINES.map(toPipeline) },
});

export const readPipeline: Endpoint = ({ parts }) => {
  const place = PIPELINES.findIndex(({ id }) => id === parts[0]);
  const pipeline = PIPELINES[place];
  if (pipeline === undefined) throw notFound();
  return { status: 200, body: toPipeline(pipeline, place) };
};

export const listStages: Endpoint = ({ parts }) => {
  const pipeline = PIPELINES.find(({ id }) => id === parts[0]);
  if (pipeline === undefined) throw notFound();
  return { status: 200, body: { results: pipeline.stages.map(toStage) } };
};

function toPipeline({ id, label, stages }: Pipeline, displayOrder: number): object {
  return { id, label, displayOrder, archived: false, ...TIMES, stages: stages.map(toStage) };
}

function toStage(
  { id, label, probability, isClosed, isArchived = false }: Stage,
  displayOrder: number,
): object {
  return {
    id,
    label,
    displayOrder,
    archived: isArchived,
    ...(isArchived && { archivedAt: TIMES.updatedAt }),
    metadata: {
      probability: probability.toFixed(Number.isInteger(probability * 10) ? 1 : 2),
      isClosed: String(isClosed),
    },
    writePermissions: 'CRM_PERMISSIONS_ENFORCEMENT',
    ...TIMES,
  };
}

const TIMES = { createdAt: '2022-01-03T08:00:00.000Z', updatedAt: '2025-02-11T09:15:00.000Z' };
