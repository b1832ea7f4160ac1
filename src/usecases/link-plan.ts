import type { OpenedLinks } from '../domain/provider.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import { toProblem } from '../domain/records/field-writes.ts';
import type { LinkedRecord, RecordLink } from '../domain/records/link.ts';
import {
  LINK_HOLDERS,
  type LinkInput,
  type LinkItem,
  type LinkVerb,
} from '../domain/records/link-changes.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import { MAX_EXISTING_IDS, type WriteProblem } from '../domain/records/write.ts';
import type { LinkRules, PlannedLink, SentWrite, StoredItem } from '../domain/writing.ts';
import { groupBy } from '../lib/group-by.ts';
import { shorten } from '../lib/text.ts';
import type { CrmClient } from './open-crm-client.ts';
import { toWriteProblem } from './write-plan.ts';
import { EMPTY_RESULT, type WritePlan } from './write-progress.ts';

/**
 * Decides for each link what is to be sent, without sending: the records and their links are read, and only what differs
 * is sent, so that a repeated call has the same end.
 */
export async function planLinks(work: LinkWork): Promise<readonly LinkPlan[]> {
  const { links, input, indexes } = work;
  const items = indexes.map((index) => input.links[index] as LinkItem);
  const read = await readLinks(links, items);
  const drafts = indexes.map((index, place): Draft => {
    const item = items[place] as LinkItem;
    const found = read[place] ?? { problems: [] };
    return { ...found, index, isPrimary: item.isPrimary ?? false, problems: [...found.problems] };
  });
  const rules = new Map<string, LinkRules>();
  for (const { pair } of drafts) {
    const [from, to] = pair ? [pair.from.record, pair.to.record] : [];
    if (!from || !to || rules.has(`${from} ${to}`)) continue;
    rules.set(`${from} ${to}`, await links.writer.rulesOf({ from, to }));
  }
  const rulesOf = ({ from, to }: Ends) => rules.get(`${from.record} ${to.record}`) ?? FREE;
  refuseRepeated(drafts);
  if (work.verb === 'link') refuseRivals(drafts, rulesOf);
  return drafts.map((draft) => toPlan(work, draft, rulesOf));
}

/** The records of links and what they are linked to now, or what is wrong with the link. */
export async function readLinks(
  links: OpenedLinks,
  items: readonly Pick<LinkItem, 'from' | 'to'>[],
): Promise<readonly ReadLink[]> {
  const ids = new Map<RecordType, Set<string>>();
  for (const item of items) {
    for (const { record, remoteId } of [item.from, item.to]) {
      if (!isPossibleId(remoteId)) continue;
      const known = ids.get(record) ?? new Set();
      ids.set(record, known.add(remoteId));
    }
  }
  const found = new Map<string, string>();
  for (const [type, some] of ids) {
    const kind: RecordKind<CrmRecord> = RECORDS[type];
    const records = await links.of(kind).findByIds([...some], ONLY_KEYS);
    // The id of a merged record finds the one that is left.
    for (const [id, { remoteId, isDeleted }] of records)
      if (!isDeleted) found.set(`${type} ${id}`, remoteId);
  }
  const resolved = items.map((item) => resolve(item, found));
  const current = new Map<string, readonly RecordLink[]>();
  const pairs = resolved.flatMap(({ pair }) => pair ?? []);
  for (const group of groupBy(pairs, ({ from, to }) => `${from.record} ${to.record}`)) {
    const [first] = group;
    if (!first) continue;
    const { from, to } = first;
    const holders = [...new Set(group.map((pair) => pair.from.remoteId))];
    const kind: RecordKind<CrmRecord> = RECORDS[from.record];
    const [read] = (await links.of(kind).links?.([{ to: to.record, ids: holders }])) ?? [];
    if (read instanceof Error) throw read;
    for (const [id, all] of read ?? []) current.set(`${from.record} ${id} ${to.record}`, all);
  }
  return resolved.map(({ pair, problems }) => {
    if (!pair) return { problems };
    const { from, to } = pair;
    const key = `${from.record} ${from.remoteId} ${to.record}`;
    return { pair, problems, current: current.get(key) ?? [] };
  });
}

/** The ids as the CRM has them, the record that has the link first. */
function resolve({ from, to }: Pick<LinkItem, 'from' | 'to'>, found: Found): ReadLink {
  if (from.record === to.record)
    return {
      problems: [
        toProblem('INVALID_VALUE', 'Only records of different types can be linked.', [
          'to',
          'record',
        ]),
      ],
    };
  const problems: WriteProblem[] = [];
  const ends = (
    [
      ['from', from],
      ['to', to],
    ] as const
  ).flatMap(([place, { record, remoteId }]) => {
    const id = found.get(`${record} ${remoteId}`);
    if (id !== undefined) return [{ record, remoteId: id }];
    problems.push(
      toProblem('NOT_FOUND', `The CRM has no ${RECORDS[record].noun} with this id.`, [
        place,
        'remoteId',
      ]),
    );
    return [];
  });
  const [first, second] = ends.sort((one, other) => rank(one) - rank(other));
  return first && second ? { pair: { from: first, to: second }, problems } : { problems };
}

function rank({ record }: LinkedRecord): number {
  return LINK_HOLDERS.indexOf(record);
}

function isPossibleId(id: string): boolean {
  return id !== '' && id.length <= 255;
}

function refuseRepeated(drafts: readonly Draft[]): void {
  const keyOf = ({ pair }: Draft) => (pair ? `${toHolder(pair)} ${pair.to.remoteId}` : null);
  for (const group of groupBy(drafts, keyOf)) {
    if (group.length < 2) continue;
    for (const { problems } of group)
      problems.push(
        toProblem('CONFLICT', 'Another link of this call is between the same records.'),
      );
  }
}

/** Two links of one call of which only one can be the primary one. */
function refuseRivals(drafts: readonly Draft[], rulesOf: RulesOf): void {
  const keyOf = ({ pair, isPrimary }: Draft) =>
    pair && (isPrimary || rulesOf(pair).holdsOne) ? toHolder(pair) : null;
  for (const group of groupBy(drafts, keyOf)) {
    const rivals = new Set(group.map(({ pair }) => pair?.to.remoteId));
    if (rivals.size < 2) continue;
    for (const { problems, pair } of group) {
      if (!pair) continue;
      const { from, to } = toKinds(pair);
      problems.push(
        toProblem(
          'CONFLICT',
          `Another link of this call gives the ${from.noun} another primary ${to.noun}.`,
        ),
      );
    }
  }
}

function toPlan(work: LinkWork, draft: Draft, rulesOf: RulesOf): LinkPlan {
  const { index, pair, current = [], problems } = draft;
  if (!pair || problems.length > 0) return toDecided(index, 'REFUSED', problems);
  const existing = current.find(({ remoteId }) => remoteId === pair.to.remoteId);
  const found = { ...draft, pair, current, existing, rules: rulesOf(pair) };
  return work.verb === 'link' ? toLinking(work, found) : toUnlinking(work, found);
}

function toUnlinking(work: LinkWork, draft: FoundDraft): LinkPlan {
  const { index, pair, existing, isPrimary, rules } = draft;
  if (isPrimary && !rules.canDemote) {
    const { from, to } = toKinds(pair);
    return refuse(
      index,
      `In ${titleOf(work)} the link of a ${from.noun} to a ${to.noun} cannot stay and only lose that it is primary: leave isPrimary out.`,
    );
  }
  const isThere = existing && (existing.isPrimary || !isPrimary);
  return isThere ? toSend(work, draft, []) : toDecided(index, 'UNCHANGED');
}

function toLinking(work: LinkWork, draft: FoundDraft): LinkPlan {
  const { index, pair, current, existing, isPrimary, rules } = draft;
  const { holdsOne, hasPrimary, mayLosePrimary, hint } = rules;
  const { from, to } = toKinds(pair);
  const title = titleOf(work);
  if (isPrimary && !hasPrimary)
    return refuse(
      index,
      `${title} has no primary ${to.noun} of a ${from.noun}: leave isPrimary out.`,
    );
  if (existing && (existing.isPrimary || !isPrimary)) return toDecided(index, 'UNCHANGED');
  const rivals = current.filter(
    (one) => one.remoteId !== pair.to.remoteId && (holdsOne || one.isPrimary),
  );
  if (rivals.length === 0) return toSend(work, draft, []);
  const existingRemoteIds = rivals.slice(0, MAX_EXISTING_IDS).map(({ remoteId }) => remoteId);
  if (holdsOne && !isPrimary)
    return toDecided(index, 'REFUSED', [
      toProblem(
        'ALREADY_EXISTS',
        `The ${from.noun} has another ${to.noun}, and ${title} takes one. Pass isPrimary to replace it.${hint === undefined ? '' : ` ${hint}`}`,
        null,
        { existingRemoteIds },
      ),
    ]);
  if (!isPrimary || !(holdsOne || mayLosePrimary)) return toSend(work, draft, []);
  const what = holdsOne ? 'which the link replaces' : `whose link ${title} may remove`;
  const warning = `The ${from.noun} had another primary ${to.noun}, ${what}.`;
  return toSend(work, draft, [toProblem('OTHER', warning, null, { existingRemoteIds })]);
}

/** Where the CRM cannot do what `isPrimary` says. */
function refuse(index: number, message: string): LinkPlan {
  return toDecided(index, 'REFUSED', [toProblem('INVALID_VALUE', message, ['isPrimary'])]);
}

function titleOf({ client }: LinkWork): string {
  return PROVIDER_TITLES[client.connection.providerName];
}

function toDecided(
  index: number,
  outcome: 'REFUSED' | 'UNCHANGED',
  problems: readonly WriteProblem[] = [],
): LinkPlan {
  const result = { ...EMPTY_RESULT, index, outcome, problems };
  return {
    ...NO_VALUES,
    index,
    write: null,
    link: null,
    warnings: [],
    result,
    toResult: () => result,
  };
}

function toSend(
  work: LinkWork,
  { index, pair: { from, to }, current, existing, isPrimary }: FoundDraft,
  warnings: readonly WriteProblem[],
): LinkPlan {
  const { verb } = work;
  const isNew = verb === 'link' && !existing;
  const title = titleOf(work);
  return {
    ...NO_VALUES,
    index,
    write: { verb: isNew ? 'create' : 'update', remoteId: null },
    link: { index, verb, from, to, isPrimary, current },
    warnings,
    result: { ...EMPTY_RESULT, index, outcome: 'UNKNOWN' },
    toResult({ outcome, problems }: SentWrite): StoredItem['result'] {
      if (outcome === 'UNKNOWN') return { ...EMPTY_RESULT, outcome, warnings };
      if (outcome === 'CREATED' || outcome === 'UPDATED')
        return { ...EMPTY_RESULT, outcome: isNew ? 'CREATED' : 'UPDATED', warnings };
      const plan = { values: [] };
      return {
        ...EMPTY_RESULT,
        outcome: 'REFUSED',
        problems: problems.map((one) => {
          const code = one.remoteCode === null ? '' : `: ${shorten(one.remoteCode)}`;
          const message = one.message ?? `${title} refused the link${code}.`;
          return toWriteProblem({ ...one, message }, { plan, title, texts: [] });
        }),
      };
    },
  };
}

function toHolder({ from, to }: Ends): string {
  return `${from.record} ${from.remoteId} ${to.record}`;
}

function toKinds({ from, to }: Ends) {
  return { from: RECORDS[from.record], to: RECORDS[to.record] };
}

const ONLY_KEYS = { rawData: false, fields: new Set<string>() };
const FREE: LinkRules = { holdsOne: false, hasPrimary: true };
const NO_VALUES = { key: null, keyField: null, values: [], changedFields: [] } as const;

type Found = ReadonlyMap<string, string>;
type RulesOf = (pair: Ends) => LinkRules;

type Ends = Pick<PlannedLink, 'from' | 'to'>;

export interface ReadLink {
  /** Absent: one of the records does not exist. */
  readonly pair?: Ends;
  readonly problems: readonly WriteProblem[];
  /** All links of the first record to records of the other type. */
  readonly current?: readonly RecordLink[];
}

interface Draft extends ReadLink {
  readonly index: number;
  readonly isPrimary: boolean;
  readonly problems: WriteProblem[];
}

/** Of which both records exist. */
interface FoundDraft extends Omit<Draft, 'problems'> {
  readonly pair: Ends;
  readonly current: readonly RecordLink[];
  /** The link that is there already. */
  readonly existing: RecordLink | undefined;
  readonly rules: LinkRules;
}

export interface LinkPlan extends WritePlan {
  /** Null: nothing is sent. */
  readonly link: PlannedLink | null;
}

export interface LinkWork {
  readonly client: CrmClient;
  readonly verb: LinkVerb;
  readonly input: LinkInput;
  readonly links: OpenedLinks;
  readonly indexes: readonly number[];
}
