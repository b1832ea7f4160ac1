import type { CrmChanges, FieldChange } from '../domain/records/field-writes.ts';
import { toProblem } from '../domain/records/field-writes.ts';
import type { Pipeline } from '../domain/records/pipeline.ts';
import type { Changes } from '../domain/records/writable.ts';
import type { WriteProblem } from '../domain/records/write.ts';
import { quote } from '../lib/text.ts';

/** Checks the stages of deals by the pipelines of the CRM. */
export function createStageCheck({ read, pipelineField }: StageCheck) {
  return async (translated: CrmChanges, given: Changes): Promise<CrmChanges> => {
    const [stageId, pipelineId] = [given['stageId'], given['pipelineId']];
    if ((stageId ?? pipelineId ?? null) === null) return translated;
    if (typeof stageId !== 'string')
      return withProblem(translated, 'REQUIRED', NO_STAGE, 'stageId');
    if (pipelineId === null) return withProblem(translated, 'REQUIRED', CLEARED, 'pipelineId');
    const remembered = await read();
    // The connected user may see deals, and not the settings of the account: the CRM checks the stage.
    if (remembered.length === 0) return translated;
    const found =
      findPipelines(remembered, stageId, pipelineId) ??
      // It may be newer than what is remembered.
      findPipelines(await read(RECENT_MS), stageId, pipelineId);
    if (!found) return withProblem(translated, ...toUnknownStage(stageId, pipelineId));
    const [pipeline, ...others] = found;
    if (others.length > 0) return withProblem(translated, 'REQUIRED', NO_PIPELINE, 'pipelineId');
    if (pipelineField === undefined || pipelineId !== undefined || !pipeline) return translated;
    const implied: FieldChange = {
      crmField: pipelineField,
      value: pipeline.id,
      path: ['changes', 'stageId'],
      name: 'stageId',
    };
    return { ...translated, changes: [...translated.changes, implied] };
  };
}

/** The pipelines that have the stage. Undefined: none. */
function findPipelines(
  pipelines: readonly Pipeline[],
  stageId: string,
  pipelineId: unknown,
): readonly Pipeline[] | undefined {
  const found = pipelines.filter(
    ({ id, stages }) =>
      (pipelineId === undefined || id === pipelineId) && stages.some((one) => one.id === stageId),
  );
  return found.length > 0 ? found : undefined;
}

function toUnknownStage(stageId: string, pipelineId: unknown): Refusal {
  const where =
    typeof pipelineId === 'string' ? `The pipeline ${quote(pipelineId)}` : 'No pipeline';
  const verb = typeof pipelineId === 'string' ? 'has no' : 'has a';
  return [
    'NOT_AN_OPTION',
    `${where} ${verb} stage ${quote(stageId)}. \`pipelines\` lists the stages of each pipeline.`,
    'stageId',
  ];
}

function withProblem({ changes, problems }: CrmChanges, ...[code, message, name]: Refusal) {
  return { changes, problems: [...problems, toProblem(code, message, ['changes', name])] };
}

type Refusal = readonly [code: WriteProblem['code'], message: string, name: string];

const RECENT_MS = 10_000;
const NO_STAGE = 'A pipeline is written together with a stage of it: give the stageId as well.';
const CLEARED =
  'A deal in a stage has a pipeline: leave the pipelineId out instead of clearing it.';
const NO_PIPELINE = 'Several pipelines have this stage: give the pipelineId as well.';

interface StageCheck {
  /** Empty where the connected user may not see them. */
  read(maxAgeMs?: number): Promise<readonly Pipeline[]>;
  /** The field that has the pipeline of a deal. Absent: it follows from the stage. */
  readonly pipelineField?: string;
}
