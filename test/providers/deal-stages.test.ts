import { expect, test } from 'vitest';
import { createStageCheck } from '../../src/providers/deal-stages.ts';

const NOTHING = { changes: [], problems: [] };

function toPipeline(id: string, ...stages: readonly string[]) {
  return {
    id,
    label: id,
    stages: stages.map((stage) => ({ id: stage, label: stage, status: null, probability: null })),
  };
}

/** A check, and the greatest ages that it has read pipelines of. */
function open(remembered: readonly string[], latest = remembered) {
  const reads: (number | undefined)[] = [];
  const check = createStageCheck({
    async read(maxAgeMs) {
      reads.push(maxAgeMs);
      const stages = maxAgeMs === undefined ? remembered : latest;
      return stages.length === 0
        ? []
        : [toPipeline('sales', ...stages), toPipeline('renewals', 'renewed', 'shared')];
    },
    pipelineField: 'pipeline',
  });
  return { reads, check };
}

test('a stage that is newer than the remembered pipelines is found by another read', async () => {
  const { reads, check } = open(['first'], ['first', 'new']);
  const found = await Promise.all(
    ['first', 'new', 'none', 'new'].map((stageId) => check(NOTHING, { stageId })),
  );
  expect(found.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
    [],
    [],
    ['NOT_AN_OPTION'],
    [],
  ]);
  expect(found[1]?.changes).toEqual([
    { crmField: 'pipeline', value: 'sales', path: ['changes', 'stageId'], name: 'stageId' },
  ]);
  // Only where a stage is not known.
  expect(reads.filter((age) => age !== undefined)).toEqual([10_000, 10_000, 10_000]);
});

test('a stage of several pipelines needs one of them', async () => {
  const { check } = open(['first', 'shared']);
  const alone = await check(NOTHING, { stageId: 'shared' });
  expect(alone.problems).toMatchObject([{ code: 'REQUIRED', field: ['changes', 'pipelineId'] }]);
  expect(await check(NOTHING, { stageId: 'shared', pipelineId: 'renewals' })).toEqual(NOTHING);
  const other = await check(NOTHING, { stageId: 'renewed', pipelineId: 'sales' });
  expect(other.problems).toMatchObject([{ code: 'NOT_AN_OPTION', field: ['changes', 'stageId'] }]);
});

test('nothing is read for deals that stay where they are, and nothing checked where the user sees no pipelines', async () => {
  const { check, reads } = open([]);
  for (const given of [{ name: 'x' }, { stageId: null }, { stageId: null, pipelineId: null }])
    expect(await check(NOTHING, given)).toEqual(NOTHING);
  expect(reads).toEqual([]);
  expect(await check(NOTHING, { stageId: 'first' })).toEqual(NOTHING);
});
