import type { CustomerAccount } from '../../domain/provider.ts';
import type { LinkWriter, PlannedLink, SentWrite } from '../../domain/writing.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import { groupLinks, isDemotion, nameOfPair, type PairName } from '../link-writes.ts';
import {
  attemptCall,
  type BatchReply,
  isUnsettled,
  sendBatches,
  toSent,
} from '../write-batches.ts';
import { OBJECT_NAMES } from './associations.ts';
import { OBJECTS } from './call.ts';
import { readRefusal, toProblem, wireError } from './writes.ts';

/** Writes associations by HubSpot's own types. Labels of the portal are left as they are. */
export function createLinkWriter(account: CustomerAccount): LinkWriter {
  return {
    rulesOf: async (pair) =>
      TYPES[nameOfPair(pair)].primary === undefined
        ? { holdsOne: false, hasPrimary: false }
        : { holdsOne: false, hasPrimary: true, canDemote: true },

    async send(links, options) {
      for (const [pair, verb, some] of groupLinks(links))
        await sendBatches(some, {
          size: BATCH,
          options,
          post: (batch) => postBatch(account, { pair, verb, batch }),
        });
    },
  };
}

async function postBatch(account: CustomerAccount, sending: Sending): Promise<BatchReply> {
  const { verb, batch } = sending;
  const [first] = batch;
  if (!first) return { kind: 'results', results: [] };
  const pair = `${OBJECT_NAMES[first.from.record]}/${OBJECT_NAMES[first.to.record]}`;
  const answer = await attemptCall(() =>
    account.send({
      method: 'POST',
      path: `${OBJECTS.associations}/${pair}/batch/${verb === 'link' ? 'create' : isDemotion(first) ? 'labels/archive' : 'archive'}`,
      budget: 'associations',
      retry: 'throttled',
      body: JSON.stringify({ inputs: batch.map((link) => toInput(sending.pair, link)) }),
    }),
  );
  if (isUnsettled(answer)) return { kind: 'unknown' };
  if (answer.status < 200 || answer.status > 299) return readRefusal(answer);
  const json = answer.status === 204 ? undefined : answer.readJson();
  return { kind: 'results', results: readResults(json, sending) };
}

/** An association without a type is accepted and not made. A primary one has both types. */
function toInput(pair: PairName, link: PlannedLink): object {
  const { verb, from, to, isPrimary } = link;
  const { plain, primary } = TYPES[pair];
  if (verb === 'unlink' && !isPrimary)
    return { from: { id: from.remoteId }, to: [{ id: to.remoteId }] };
  const primaryTypes = isPrimary && primary !== undefined ? [primary] : [];
  const ids = isDemotion(link) ? primaryTypes : [...primaryTypes, plain];
  return {
    from: { id: from.remoteId },
    to: { id: to.remoteId },
    types: ids.map((associationTypeId) => ({
      associationCategory: 'HUBSPOT_DEFINED',
      associationTypeId,
    })),
  };
}

/** An archive lists only errors, and a creation also what it has made. */
function readResults(json: unknown, { verb, batch }: Sending): readonly SentWrite[] {
  const listed = (name: string) => {
    const list = isRecord(json) ? json[name] : undefined;
    return Array.isArray(list) ? list.slice(0, BATCH * 2) : [];
  };
  const made = new Set(listed('results').flatMap(readPair));
  const errors = listed('errors').map((error) => wireError.parse(error));
  return batch.map((link) => {
    const error = errors.find(({ context }) => isAbout(context, link)) ?? errors.find(isAboutNone);
    const isMade = made.has(`${link.from.remoteId} ${link.to.remoteId}`);
    if (isMade || (verb === 'unlink' && !error)) return toSent(link, 'UPDATED');
    return error ? toSent(link, 'REFUSED', [toProblem(error)]) : toSent(link, 'UNKNOWN');
  });
}

/** Versions differ in the names of both ids. */
function readPair(result: unknown): readonly string[] {
  if (!isRecord(result)) return [];
  const idOf = (end: unknown) => (isRecord(end) ? toText(end['id']) : null);
  const from = toText(result['fromObjectId']) ?? idOf(result['from']);
  const to = toText(result['toObjectId']) ?? idOf(result['to']);
  return from !== null && to !== null ? [`${from} ${to}`] : [];
}

function isAbout(context: ErrorContext, { from, to }: PlannedLink): boolean {
  const names = (name: string, id: string) => context?.[name]?.map(String).includes(id);
  const [isFrom, isTo] = [names('fromObjectId', from.remoteId), names('toObjectId', to.remoteId)];
  return isFrom === undefined || isTo === undefined ? Boolean(isFrom ?? isTo) : isFrom && isTo;
}

function isAboutNone({ context }: { readonly context?: ErrorContext }): boolean {
  return !context?.['fromObjectId'] && !context?.['toObjectId'];
}

const BATCH = 100;

const TYPES: Readonly<Record<PairName, { readonly plain: number; readonly primary?: number }>> = {
  'CONTACT COMPANY': { plain: 279, primary: 1 },
  'DEAL COMPANY': { plain: 341, primary: 5 },
  'DEAL CONTACT': { plain: 3 },
};

type ErrorContext = Readonly<Record<string, readonly unknown[]>> | null | undefined;

interface Sending {
  readonly pair: PairName;
  readonly verb: PlannedLink['verb'];
  readonly batch: readonly PlannedLink[];
}
