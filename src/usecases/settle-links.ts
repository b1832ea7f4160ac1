import type { OpenedLinks } from '../domain/provider.ts';
import type { LinkVerb } from '../domain/records/link-changes.ts';
import type { StoredItem, StoredLink, WriteTimes } from '../domain/writing.ts';
import { type ReadLink, readLinks } from './link-plan.ts';
import { EMPTY_RESULT, NOT_SENT } from './write-progress.ts';

/**
 * Finds out what became of links whose outcome is not known, by reading them. A link that is as it was to be counts as
 * written. One that is not may still be written for a while: it is `waiting` again after that.
 */
export async function settleLinks(
  deps: SettleLinksDeps,
  { links, verb, items }: SettlingLinks,
): Promise<StoredItem[]> {
  const inDoubt = items.flatMap(({ state, link }) => (state === 'sent' && link ? [link] : []));
  if (inDoubt.length === 0) return [...items];
  const read = await readLinks(links, inDoubt);
  const found = new Map(inDoubt.map((link, place) => [link, read[place]]));
  return items.map((item) => {
    const { state, sent, link } = item;
    if (state !== 'sent' || !sent || !link) return item;
    const warnings = item.result?.warnings ?? [];
    const result = { ...EMPTY_RESULT, warnings };
    if (isDone(verb, link, found.get(link))) {
      const outcome = sent.verb === 'create' ? 'CREATED' : 'UPDATED';
      return { ...item, state: 'done', sent: null, result: { ...result, outcome } };
    }
    if (deps.wall() - sent.at <= deps.writeTimes.settledMs)
      return { ...item, result: { ...result, outcome: 'UNKNOWN' } };
    return { ...item, state: 'waiting', sent: null, result: NOT_SENT };
  });
}

function isDone(
  verb: LinkVerb,
  { isPrimary }: StoredLink,
  { pair, current = [] }: Partial<ReadLink> = {},
): boolean {
  const link = current.find(({ remoteId }) => remoteId === pair?.to.remoteId);
  if (verb === 'link') return link !== undefined && (link.isPrimary || !isPrimary);
  return !link || (isPrimary && !link.isPrimary);
}

interface SettlingLinks {
  readonly links: OpenedLinks;
  readonly verb: LinkVerb;
  readonly items: readonly StoredItem[];
}

interface SettleLinksDeps {
  readonly writeTimes: WriteTimes;
  wall(): number;
}
