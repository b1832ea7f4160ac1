import type { CustomFieldValue } from '../domain/custom-field.ts';
import type { LinkPair, LinkRules, PlannedLink, PlannedWrite } from '../domain/writing.ts';
import { groupBy } from '../lib/group-by.ts';

/** A link as a write of a record that has it: a change, or with no id a creation. */
export function toLinkWrite(
  { index }: Pick<PlannedLink, 'index'>,
  remoteId: string | null,
  values: Readonly<Record<string, CustomFieldValue>> = {},
): PlannedWrite {
  return {
    index,
    verb: remoteId === null ? 'create' : 'update',
    remoteId,
    key: null,
    keyField: null,
    values: new Map(Object.entries(values)),
    wireTypes: new Map(),
    ifUnmodifiedSince: null,
  };
}

/** `CONTACT COMPANY`: the type that has the link comes first. */
export type PairName = 'CONTACT COMPANY' | 'DEAL COMPANY' | 'DEAL CONTACT';

export function nameOfPair({ from, to }: LinkPair): PairName {
  return `${from} ${to}` as PairName;
}

/** The links of each pair of types, by what is to be done with them. */
export function groupLinks(
  links: readonly PlannedLink[],
): readonly (readonly [PairName, PlannedLink['verb'], readonly PlannedLink[]])[] {
  const groups = groupBy(links, (link) => {
    const { verb, from, to } = link;
    return `${verb} ${isDemotion(link)} ${from.record} ${to.record}`;
  });
  return groups.flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { from, to, verb } = first;
    return [[nameOfPair({ from: from.record, to: to.record }), verb, group] as const];
  });
}

/** Whether the link stays, and only is not the primary one any more. */
export function isDemotion({ verb, isPrimary }: Pick<PlannedLink, 'verb' | 'isPrimary'>): boolean {
  return verb === 'unlink' && isPrimary;
}

/** A record is linked to one other, which is the primary one. */
export const HOLDS_ONE: LinkRules = { holdsOne: true, hasPrimary: true };
