import { channel } from 'node:diagnostics_channel';
import { systemClock } from './clock.ts';

/** The kinds of work that can take long on the thread: the values of a metric's label. */
export const TASK_KINDS = [
  'request_body',
  'document',
  'provider_response',
  'cache_entry',
  'redaction',
  'response',
] as const;

export type TaskKind = (typeof TASK_KINDS)[number];

/** Each piece of timed work is published here, for the metrics and for tests. */
export const taskChannel = channel('crossbook:task');

export interface TimedTask {
  readonly kind: TaskKind;
  readonly ms: number;
}

/** Times work that runs without interruption. Others wait meanwhile, so it has to be short. */
export function timeTask<Result>(kind: TaskKind, work: () => Result): Result {
  if (!taskChannel.hasSubscribers) return work();
  const began = systemClock.now();
  try {
    return work();
  } finally {
    publishTask(kind, systemClock.now() - began);
  }
}

export function publishTask(kind: TaskKind, ms: number): void {
  const task: TimedTask = { kind, ms };
  taskChannel.publish(task);
}
