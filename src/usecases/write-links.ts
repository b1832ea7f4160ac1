import { CrossbookError } from '../domain/errors.ts';
import type { OpenedLinks } from '../domain/provider.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import { LINK_OPERATIONS, type LinkInput, type LinkVerb } from '../domain/records/link-changes.ts';
import type { StoredItem } from '../domain/writing.ts';
import { checkMayWrite } from './authorization.ts';
import {
  type CarryOutDeps,
  carryOut,
  checkCall,
  toComparedText,
  type Waiting,
  type WritePayload,
} from './carry-out-write.ts';
import { type LinkWork, planLinks } from './link-plan.ts';
import { type CrmClient, type OpenDeps, openCrmClient } from './open-crm-client.ts';
import { requireAccess } from './record-access.ts';
import { settleLinks } from './settle-links.ts';
import { toPreview } from './write-progress.ts';
import type { WritePortDeps } from './write-records.ts';

/**
 * Links up to a hundred pairs of records in one customer's CRM, or removes their links. Each link has its own result.
 * Rejects only for what happens before anything is sent.
 */
export function writeLinks(
  deps: WriteLinksDeps,
  verb: LinkVerb,
  input: LinkInput,
): Promise<WritePayload> {
  return deps.withSpan('writeLinks', async () => {
    checkMayWrite(deps);
    checkCall('links', input.links, input.idempotencyKey);
    const client = await openLinkClient(deps, input);
    const work = { client, verb, input };
    if (input.dryRun) {
      const indexes = input.links.map((_, index) => index);
      const plans = await client.port.writeLinks((links) => planLinks({ ...work, links, indexes }));
      return { write: null, results: plans.map(toPreview), source: client.source };
    }
    return carryOut(deps, {
      client,
      operation: LINK_OPERATIONS[verb],
      idempotencyKey: input.idempotencyKey,
      input: toComparedText(toStoredItems(input)),
      items: toStoredItems(input),
      run: (steps) =>
        client.port.writeLinks((links) =>
          steps({
            settle: (items) => settleLinks(deps, { links, verb, items }),
            send: (waiting) => sendWaiting(work, links, waiting),
          }),
        ),
    });
  });
}

/** Authorizes the connection, which must be able to write the records of both sides. */
async function openLinkClient(deps: WriteLinksDeps, input: LinkInput): Promise<CrmClient> {
  const types = new Set(input.links.flatMap(({ from, to }) => [from.record, to.record]));
  let opened: CrmClient | undefined;
  for (const type of types) {
    const kind = RECORDS[type];
    opened ??= await openCrmClient(deps, input, kind);
    requireAccess(opened, kind, 'write');
  }
  if (!opened) throw new Error('A write of links has no links');
  const { connection, access } = opened;
  for (const { from, to } of input.links) {
    if (from.record === to.record) continue;
    if (access.records[from.record]?.linkedTo.includes(to.record)) continue;
    throw new CrossbookError(
      'NOT_IMPLEMENTED',
      `The ${RECORDS[to.record].nouns} of a ${RECORDS[from.record].noun} cannot be written in ${PROVIDER_TITLES[connection.providerName]}.`,
    );
  }
  return { ...opened, port: deps.openWritePort(connection, access) };
}

async function sendWaiting(
  work: Omit<LinkWork, 'links' | 'indexes'>,
  links: OpenedLinks,
  { indexes, progress }: Waiting,
): Promise<void> {
  if (indexes.length === 0) return;
  const plans = await planLinks({ ...work, links, indexes });
  for (const plan of plans) progress.plan(plan);
  const planned = plans.flatMap(({ link }) => link ?? []);
  if (planned.length === 0) return;
  await links.writer.send(planned, {
    allowDuplicates: false,
    before: (sent) => progress.begin(sent),
    after: async (results) => progress.end(results),
  });
}

function toStoredItems({ links }: LinkInput): readonly StoredItem[] {
  return links.map(({ from, to, isPrimary }) => ({
    state: 'waiting',
    fields: [],
    link: { from, to, isPrimary: isPrimary ?? false },
    result: null,
    sent: null,
  }));
}

export type WriteLinksDeps = OpenDeps & CarryOutDeps & WritePortDeps;
