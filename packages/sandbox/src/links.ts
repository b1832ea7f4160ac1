import type { Person } from './people.ts';
import type { PeopleTable } from './people-table.ts';
import { createRandom } from './random.ts';
import type { CrmRecord, DealCompanies, RecordsTable } from './records.ts';
import { hasCompany } from './records-invented.ts';

/**
 * Which contacts, companies and deals are linked, in every direction. A person has companies and deals, a deal has
 * companies; the other directions are computed from these. Links to deleted records are omitted, and those to merged ones
 * lead to the survivor.
 */
export function createLinks({ people, records }: Tables): Links {
  let known: Index | undefined;
  /** By deal, where it was chosen. */
  const primaryContacts = new Map<number, number | null>();

  const ofContact = (person: Person, to: 'company' | 'deal'): readonly Link[] => {
    if (person.isDeleted) return NONE;
    const { companyIndex: primary, otherCompanyIndexes: others, dealIndexes } = person;
    if (to === 'deal') return toLinks('deal', { primary: null, others: dealIndexes });
    return toLinks('company', { primary, others });
  };

  /** The primary company is not the first. */
  function toLinks(kind: 'company' | 'deal', { primary, others }: DealCompanies): readonly Link[] {
    const first = primary === null ? undefined : records.survivorOf(kind, primary);
    const rest = new Set(others.flatMap((one) => records.survivorOf(kind, one) ?? []));
    if (first !== undefined) rest.delete(first);
    const links: Link[] = [...rest].map((index) => ({ index, isPrimary: false }));
    if (first !== undefined) links.push({ index: first, isPrimary: true });
    return links;
  }

  /** A deal that exists from the start belongs to the company of its first contact. */
  function companiesOf(deal: CrmRecord, { contactsOfDeal }: Index): DealCompanies {
    if (deal.companies) return deal.companies;
    const [first] =
      (deal.isInvented && hasCompany(deal.index) && contactsOfDeal.get(deal.index)) || [];
    const person = first && people.get(first.index);
    return { primary: person?.companyIndex ?? null, others: [] };
  }

  const ofDeal = (deal: CrmRecord): readonly Link[] =>
    deal.isDeleted ? NONE : toLinks('company', companiesOf(deal, index()));

  /** Computed at the first use after a change. */
  function index(): Index {
    const versions = [people.version(), records.version()] as const;
    if (known?.versions.every((one, place) => one === versions[place])) return known;
    const contactsOfCompany = new Map<number, Link[]>();
    const contactsOfDeal = new Map<number, Link[]>();
    for (const person of people.all()) {
      for (const link of ofContact(person, 'company'))
        add(contactsOfCompany, link.index, { ...link, index: person.index });
      for (const link of ofContact(person, 'deal'))
        add(contactsOfDeal, link.index, { ...link, index: person.index });
    }
    known = { versions, contactsOfCompany, contactsOfDeal };
    return known;
  }

  function dealsOfCompany(): ReadonlyMap<number, readonly Link[]> {
    const current = index();
    if (current.dealsOfCompany) return current.dealsOfCompany;
    const deals = new Map<number, Link[]>();
    for (const deal of records.all('deal'))
      for (const link of ofDeal(deal)) add(deals, link.index, { ...link, index: deal.index });
    current.dealsOfCompany = deals;
    return deals;
  }

  const links: Links = {
    find(from, place, to) {
      if (from === to) return NONE;
      if (from === 'contact') {
        const person = people.get(place);
        return person && to !== 'contact' ? ofContact(person, to) : NONE;
      }
      if (records.survivorOf(from, place) !== place) return NONE;
      if (from === 'deal' && to === 'company') {
        const deal = records.get('deal', place);
        return deal ? ofDeal(deal) : NONE;
      }
      if (to === 'deal') return dealsOfCompany().get(place) ?? NONE;
      const { contactsOfCompany, contactsOfDeal } = index();
      return (from === 'deal' ? contactsOfDeal : contactsOfCompany).get(place) ?? NONE;
    },

    primaryCompanyOf(from, place) {
      return links.find(from, place, 'company').find(({ isPrimary }) => isPrimary)?.index ?? null;
    },

    primaryContactOf(deal) {
      const linked = links.find('deal', deal, 'contact');
      const chosen = primaryContacts.get(deal);
      if (chosen === undefined) return linked[0]?.index ?? null;
      return linked.some(({ index: one }) => one === chosen) ? chosen : null;
    },

    choosePrimaryContact(deal, contact) {
      primaryContacts.set(deal, contact);
    },

    link(one, other, isPrimary) {
      return change(one, other, (before, index) => {
        const { primary } = before;
        if (!isPrimary)
          return primary === index
            ? before
            : { primary, others: [...new Set([...before.others, index])] };
        const others = [...before.others, ...(primary === null ? [] : [primary])];
        return { primary: index, others: [...new Set(others)].filter((place) => place !== index) };
      });
    },

    unlink(one, other) {
      return change(one, other, ({ primary, others }, index) => ({
        primary: primary === index ? null : primary,
        others: others.filter((place) => place !== index),
      }));
    },
    changeAtRandom({ seed, count = 1 }) {
      const random = createRandom(seed);
      const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
      const alive = {
        contact: livingOf(people.all()),
        company: livingOf(records.all('company')),
        deal: livingOf(records.all('deal')),
      };
      for (let change = 0; change < count; change += 1) {
        const [from, to] = pick(PAIRS) ?? PAIRS[0];
        const index = pick(alive[from]);
        const known = index === undefined ? undefined : pick(links.find(from, index, to));
        const other = known && random() < 0.5 ? known.index : pick(alive[to]);
        if (index === undefined || other === undefined) continue;
        const ends = [
          { kind: from, index },
          { kind: to, index: other },
        ] as const;
        if (other === known?.index) links.unlink(...ends);
        else links.link(...ends, to === 'company' && random() < 0.5);
      }
    },
  };
  return links;

  /** Changes the links of the contact, or else of the deal. Only another primary company modifies the record itself. */
  function change(one: LinkEnd, other: LinkEnd, edit: Edit): boolean {
    const [from, to] =
      OWNERS.indexOf(one.kind) < OWNERS.indexOf(other.kind) ? [one, other] : [other, one];
    if (from.kind === to.kind || !exists(from) || !exists(to)) return false;
    if (from.kind === 'deal') {
      const deal = records.get('deal', from.index);
      if (!deal) return false;
      const before = companiesOf(deal, index());
      const companies = edit(before, to.index);
      const isTouched = companies.primary !== before.primary;
      return records.change(
        'deal',
        from.index,
        {},
        { companies, ...(!isTouched && stampOf(deal)) },
      );
    }
    const person = people.get(from.index);
    if (!person) return false;
    if (to.kind === 'deal') {
      const { primary, others } = edit({ primary: null, others: person.dealIndexes }, to.index);
      const dealIndexes = primary === null ? others : [...others, primary];
      return people.change(from.index, { dealIndexes, ...stampOf(person) });
    }
    const before = { primary: person.companyIndex, others: person.otherCompanyIndexes };
    const { primary, others } = edit(before, to.index);
    return people.change(from.index, {
      companyIndex: primary,
      otherCompanyIndexes: others,
      ...(primary === before.primary && stampOf(person)),
    });
  }

  function exists({ kind, index: place }: LinkEnd): boolean {
    if (kind === 'contact') return people.get(place)?.isDeleted === false;
    return records.get(kind, place)?.isDeleted === false;
  }
}

function stampOf({ updatedAt }: { readonly updatedAt: number }) {
  return { updatedAt };
}

function add(links: Map<number, Link[]>, to: number, link: Link): void {
  const known = links.get(to);
  if (known) known.push(link);
  else links.set(to, [link]);
}

function livingOf(records: readonly { readonly index: number; readonly isDeleted: boolean }[]) {
  return records.flatMap(({ index, isDeleted }) => (isDeleted ? [] : [index]));
}

const PAIRS = [
  ['contact', 'company'],
  ['contact', 'deal'],
  ['deal', 'company'],
] as const;
const NONE: readonly Link[] = [];
/** The links of two records are stored with the first of these. */
const OWNERS: readonly LinkedKind[] = ['contact', 'deal', 'company'];

export type LinkedKind = 'contact' | 'company' | 'deal';

export interface Link {
  readonly index: number;
  /** The company is the primary one. */
  readonly isPrimary: boolean;
}

export interface LinkEnd {
  readonly kind: LinkedKind;
  readonly index: number;
}

export interface Links {
  /** The records of one kind that are linked to that one. */
  find(from: LinkedKind, index: number, to: LinkedKind): readonly Link[];
  /** The index of the primary company of a contact or deal. */
  primaryCompanyOf(from: 'contact' | 'deal', index: number): number | null;
  /** The index of the primary contact of a deal: the first one, unless another was chosen. */
  primaryContactOf(deal: number): number | null;
  choosePrimaryContact(deal: number, contact: number | null): void;
  /** Links two records of different kinds, in either order. False: one of them does not exist. */
  link(one: LinkEnd, other: LinkEnd, isPrimary: boolean): boolean;
  unlink(one: LinkEnd, other: LinkEnd): boolean;
  /** Links and unlinks records in an order that depends on the seed, the records and their links only. */
  changeAtRandom(stream: { readonly seed: number; readonly count?: number | undefined }): void;
}

type Edit = (before: DealCompanies, index: number) => DealCompanies;

interface Index {
  readonly versions: readonly object[];
  readonly contactsOfCompany: ReadonlyMap<number, readonly Link[]>;
  readonly contactsOfDeal: ReadonlyMap<number, readonly Link[]>;
  dealsOfCompany?: ReadonlyMap<number, readonly Link[]>;
}

interface Tables {
  readonly people: PeopleTable;
  readonly records: RecordsTable;
}
