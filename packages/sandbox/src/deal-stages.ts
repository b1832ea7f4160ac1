/**
 * The pipelines of deals and their stages, independent of any CRM. The first pipeline has HubSpot's default stages, the
 * second was made by the customer.
 */
export const PIPELINES: readonly Pipeline[] = [
  {
    id: 'default',
    label: 'Sales Pipeline',
    stages: [
      open('appointmentscheduled', 'Appointment Scheduled', 0.2),
      open('qualifiedtobuy', 'Qualified To Buy', 0.4),
      open('presentationscheduled', 'Demo Scheduled', 0.6),
      open('decisionmakerboughtin', 'Decision Maker Bought-In', 0.8),
      open('contractsent', 'Contract Out for Signature', 0.9),
      { id: 'closedwon', label: 'Closed Won', probability: 1, isClosed: true },
      { id: 'closedlost', label: 'Closed Lost', probability: 0, isClosed: true },
    ],
  },
  {
    id: '84210377',
    label: 'Renewals',
    stages: [
      open('161204501', 'Up for Renewal', 0.5),
      open('161204502', 'Terms Agreed', 0.85),
      { ...open('161204503', 'On Hold', 0.3), isArchived: true },
      { id: '161204504', label: 'Renewed', probability: 1, isClosed: true },
      { id: '161204505', label: 'Churned', probability: 0, isClosed: true },
    ],
  },
];

/** Undefined for a stage that no pipeline has, such as one that was deleted. */
export function findStage(id: string | null | undefined): Stage | undefined {
  return STAGES.get(id ?? '');
}

/** The pipeline of a stage. */
export function findPipelineOf(stageId: string | null | undefined): Pipeline | undefined {
  return PIPELINES.find(({ stages }) => stages.some(({ id }) => id === stageId));
}

function open(id: string, label: string, probability: number): Stage {
  return { id, label, probability, isClosed: false };
}

const STAGES = new Map(
  PIPELINES.flatMap(({ stages }) => stages).map((stage) => [stage.id, stage] as const),
);

export interface Pipeline {
  readonly id: string;
  readonly label: string;
  readonly stages: readonly Stage[];
}

/** A closed stage is won at a probability of 1, and lost at 0. */
export interface Stage {
  readonly id: string;
  readonly label: string;
  /** From 0 to 1. */
  readonly probability: number;
  readonly isClosed: boolean;
  readonly isArchived?: boolean;
}
