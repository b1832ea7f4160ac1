import type { Person } from './people.ts';

/** Notes which links of a person a change makes, alters or removes, and when. */
export function noteLinks(
  changes: Map<string, LinkChange>,
  { before, next, at }: { readonly before: Person; readonly next: Person; readonly at: number },
): void {
  const isSame =
    before.companyIndex === next.companyIndex &&
    before.otherCompanyIndexes === next.otherCompanyIndexes &&
    before.dealIndexes === next.dealIndexes;
  if (isSame) return;
  const [old, current] = [linksOf(before), linksOf(next)];
  for (const link of new Set([...old.keys(), ...current.keys()])) {
    if (old.get(link) === current.get(link)) continue;
    changes.set(`${next.index} ${link}`, { at, isRemoved: !current.has(link) });
  }
}

/** The key of a link in the changes. */
export function toLinkKey(person: number, kind: 'company' | 'deal', index: number): string {
  return `${person} ${kind} ${index}`;
}

/** The links of a person, each with whether it is the primary one. */
function linksOf(person: Person): ReadonlyMap<string, boolean> {
  const { companyIndex, otherCompanyIndexes, dealIndexes } = person;
  return new Map([
    ...otherCompanyIndexes.map((index) => [`company ${index}`, false] as const),
    ...(companyIndex === null ? [] : [[`company ${companyIndex}`, true] as const]),
    ...dealIndexes.map((index) => [`deal ${index}`, false] as const),
  ]);
}

export interface LinkChange {
  readonly at: number;
  readonly isRemoved: boolean;
}
