import type { DealConditions, ListFilter } from '../../domain/records/conditions.ts';
import type { Query } from './call.ts';

/**
 * The parameters of a list that finds what a filter asks for. Undefined: none can. Times have no fractions of a second,
 * which Pipedrive rejects, and its second one is not included.
 */
export function toQuery(filter: ListFilter): Query | undefined {
  switch (filter.by) {
    case 'all':
      return {};
    case 'modifiedSince':
      return {
        updated_since: toSecond(filter.since),
        updated_until: toSecond(filter.until + 1_000),
      };
    case 'where':
      return toDealQuery(filter.where);
    default:
      return undefined;
  }
}

/** As hits are verified: a record’s time of modification is rounded down to a second. */
export function toVerified(filter: ListFilter): ListFilter {
  if (filter.by !== 'modifiedSince') return filter;
  return { ...filter, since: Math.floor(filter.since / 1_000) * 1_000 };
}

function toDealQuery(where: DealConditions): Query | undefined {
  const { pipelineId, stageId, status, ownerId, closeDate } = where;
  if (closeDate) return undefined;
  return { pipeline_id: pipelineId, stage_id: stageId, status, owner_id: ownerId };
}

/** Whether no record can match: ids are numbers, and Pipedrive rejects others. */
export function matchesNothing(filter: ListFilter): boolean {
  if (filter.by !== 'where') return false;
  const { pipelineId, stageId, ownerId } = filter.where;
  return [pipelineId, stageId, ownerId].some((id) => id !== undefined && !/^\d{1,10}$/.test(id));
}

export function toSecond(time: number): string {
  return `${new Date(Math.floor(time / 1_000) * 1_000).toISOString().slice(0, 19)}Z`;
}
