import { type JsonResponse, NotCarriedOut, type RemoteFailure } from '../domain/remote.ts';
import type { CrmProblem, PlannedWrite, SendOptions, SentWrite } from '../domain/writing.ts';
import { chunk } from '../lib/batcher.ts';

/**
 * Sends writes in batches. Where a CRM refuses a whole batch, the records that the reason is about are found by the
 * fields that it names, then by halving, so that one record never stops the others.
 */
export async function sendBatches<Item extends BatchItem>(
  writes: readonly Item[],
  { post, size, options }: Batches<Item>,
): Promise<void> {
  const waiting: (readonly Item[])[] = [...chunk(writes, size)];
  let halvings = 0;
  for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
    const sent = batch;
    await options.before(sent);
    const reply = await post(sent);
    if (reply.kind === 'results') {
      await options.after(reply.results);
      continue;
    }
    if (reply.kind === 'unknown') {
      await options.after(sent.map((one) => toSent(one, 'UNKNOWN')));
      continue;
    }
    const { problem, fields, isAboutFields } = reply;
    const named = sent.filter(({ values }) => fields.some((name) => values?.has(name)));
    const others = sent.filter((one) => !named.includes(one));
    const suspects = named.length > 0 ? named : sent;
    const isFound = suspects.length === 1 || (named.length > 0 && isAboutFields);
    const isOver = !isFound && others.length === 0 && halvings >= MAX_HALVINGS;
    if (isFound || reply.isAboutAll || isOver) {
      const all = reply.isAboutAll ? sent : suspects;
      const why = isOver ? { ...problem, message: UNATTRIBUTED } : problem;
      await options.after(all.map((one) => toSent(one, 'REFUSED', [why])));
      if (!reply.isAboutAll && others.length > 0 && named.length > 0) waiting.unshift(others);
      continue;
    }
    if (named.length > 0 && others.length > 0) {
      waiting.unshift(named, others);
      continue;
    }
    halvings += 1;
    const half = Math.ceil(sent.length / 2);
    waiting.unshift(sent.slice(0, half), sent.slice(half));
  }
}

export function toSent(
  { index, remoteId = null }: BatchItem,
  outcome: SentWrite['outcome'],
  problems: readonly CrmProblem[] = [],
): SentWrite {
  return { index, outcome, remoteId, problems };
}

/** Runs a call that changes data. Returns undefined if the call may or may not have been carried out. */
export async function attemptCall<Answer>(
  call: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof NotCarriedOut) throw error.reason;
    return undefined;
  }
}

/** Without a response, or with one of a server that has failed, the call may have been carried out. */
export function isUnsettled(answer: JsonResponse | undefined): answer is undefined {
  return answer === undefined || (answer.status >= 500 && answer.status !== 501);
}

/** Whether a refusal is about the connection or its limits, so that all further calls would be refused as well. */
export function isRefusedForNow(
  { status }: JsonResponse,
  { code }: Pick<RemoteFailure, 'code'>,
): boolean {
  return (
    status === 401 ||
    code === 'REMOTE_PROVIDER_RATE_LIMITED' ||
    code === 'REMOTE_PROVIDER_UNAVAILABLE'
  );
}

/** Two bad records of a hundred take some thirty calls. */
const MAX_HALVINGS = 20;
const UNATTRIBUTED =
  'The CRM refused a batch that this record was part of, and too many of its records for their reasons to be told apart. Send fewer records at once.';

/** A record, or a link, which has no id and no fields. */
type BatchItem = Pick<PlannedWrite, 'index'> & Partial<Pick<PlannedWrite, 'remoteId' | 'values'>>;

interface Batches<Item> {
  readonly size: number;
  readonly options: SendOptions;
  /** Rejects where the batch was certainly not carried out, and further ones would not be. */
  post(batch: readonly Item[]): Promise<BatchReply>;
}

export type BatchReply =
  | { readonly kind: 'results'; readonly results: readonly SentWrite[] }
  | { readonly kind: 'unknown' }
  /** Nothing of the batch was carried out. */
  | {
      readonly kind: 'refused';
      readonly problem: CrmProblem;
      /** The fields that it names. */
      readonly fields: readonly string[];
      /** Whatever their values: every record with one of them is refused. */
      readonly isAboutFields: boolean;
      /** Every record is refused. */
      readonly isAboutAll?: boolean;
    };
