import { toLinkKey } from '../../link-changes.ts';
import type { Links } from '../../links.ts';
import type { Person } from '../../people.ts';
import type { PeopleTable } from '../../people-table.ts';
import type { RecordsTable } from '../../records.ts';
import type { Row, Table } from '../soql/table.ts';
import { wireSeconds } from '../values/datetime.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { ROLES, STAGES } from './choices.ts';
import { ADMINISTRATOR } from './contact-row.ts';
import {
  ACCOUNT_CONTACT_RELATION,
  OPPORTUNITY_CONTACT_ROLE,
  OPPORTUNITY_STAGE,
  PREFIXES,
} from './objects.ts';
import { lowerBound } from './parents.ts';
import { toSalesforceId, toSalesforceIndex } from './record-table.ts';

/** The contacts of opportunities. */
export function opportunityContactRoles(contents: Contents): Table {
  const { links } = contents;
  return relationTable(contents, {
    kind: 'deal',
    parentField: 'OpportunityId',
    definition: OPPORTUNITY_CONTACT_ROLE,
    toFields: (person, deal) => ({
      Role: deal % 6 === 0 ? null : (ROLES[(person + deal) % ROLES.length] ?? null),
      IsPrimary: links.primaryContactOf(deal) === person,
    }),
  });
}

/** The accounts of contacts: the direct one, which is the contact's `AccountId`, and others. */
export function accountContactRelations(contents: Contents): Table {
  return relationTable(contents, {
    kind: 'company',
    parentField: 'AccountId',
    definition: ACCOUNT_CONTACT_RELATION,
    toFields: (_person, company, isPrimary) => ({
      IsDirect: isPrimary,
      IsActive: isPrimary || company !== ENDED_COMPANY,
      Roles: isPrimary || company % 4 === 0 ? null : 'Decision Maker;Other',
      StartDate: null,
      EndDate: null,
    }),
  });
}

/** The stages of the org, as the setup lists them. */
export function opportunityStages(): Table {
  const idOf = (place: number) => makeId(PREFIXES.OpportunityStage, place + 1);
  const rowAt = (place: number): Row => {
    const { name, label, isActive, isClosed, isWon, probability, forecast } = STAGES[place] ?? NONE;
    return {
      Id: idOf(place),
      MasterLabel: label,
      ApiName: name,
      IsActive: isActive,
      SortOrder: place + 1,
      IsClosed: isClosed,
      IsWon: isWon,
      ForecastCategoryName: forecast,
      DefaultProbability: probability,
      Description: null,
      ...toAudit(MADE_AT, MADE_AT),
    };
  };
  return {
    definition: OPPORTUNITY_STAGE,
    size: () => STAGES.length,
    rowAt,
    lowerBound: (id15) => lowerBound(STAGES.length, (place) => idOf(place).slice(0, 15) < id15),
    find(id15) {
      const place = (numberOf(id15, PREFIXES.OpportunityStage) ?? 0) - 1;
      return STAGES[place] && rowAt(place);
    },
  };
}

/**
 * The links of people to records of one kind as rows, also those that were removed. A row keeps its id when its record is
 * merged into another.
 */
function relationTable({ people, records, links }: Contents, relation: Relation): Table {
  const { kind, parentField, definition } = relation;
  const idOf = (pair: Pair) => toRelationId(definition.keyPrefix, pair);

  const pairsOf = (person: Person): readonly Pair[] => {
    const { index, companyIndex, otherCompanyIndexes, dealIndexes } = person;
    const primary = kind === 'company' && companyIndex !== null ? [companyIndex] : [];
    const others = kind === 'company' ? otherCompanyIndexes : dealIndexes;
    return [...primary, ...others]
      .map((one) => ({ person: index, index: one }))
      .sort((a, b) => a.index - b.index);
  };

  const toRow = ({ person: place, index }: Pair): Row | undefined => {
    const person = people.get(place);
    if (person === undefined) return undefined;
    const change = people.linkChanges().get(toLinkKey(place, kind, index));
    const isHeld = pairsOf(person).some((one) => one.index === index);
    if (!isHeld && change === undefined) return undefined;
    const survivor = records.survivorOf(kind, index);
    const record = records.get(kind, index);
    // Of two rows that lead to one record after a merge, the first is left.
    const isDouble = pairsOf(person).some(
      (one) => one.index < index && records.survivorOf(kind, one.index) === survivor,
    );
    const isDeleted = !isHeld || person.isDeleted || survivor === undefined || isDouble;
    const changes = [
      change?.at ?? person.createdAt,
      person.isDeleted ? person.updatedAt : 0,
      record?.isDeleted ? record.updatedAt : 0,
    ];
    return {
      Id: idOf({ person: place, index }),
      IsDeleted: isDeleted,
      ContactId: makeId(PREFIXES.Contact, place),
      [parentField]: toSalesforceId(kind, survivor ?? index),
      ...relation.toFields(
        place,
        survivor ?? index,
        kind === 'company' && person.companyIndex === index,
      ),
      ...toAudit(person.createdAt, Math.max(...changes)),
    };
  };

  const listRemoved = (): readonly Pair[] =>
    [...people.linkChanges()].flatMap(([key, { isRemoved }]) => {
      const [person, of, index] = key.split(' ');
      return isRemoved && of === kind ? { person: Number(person), index: Number(index) } : [];
    });

  let known: readonly Pair[] | undefined;
  /** All rows in the order of their ids. */
  const list = (): readonly Pair[] => {
    if (known) return known;
    const pairs = people.all().flatMap(pairsOf);
    const removed = listRemoved();
    known =
      removed.length === 0
        ? pairs
        : [...pairs, ...removed].sort((a, b) => a.person - b.person || a.index - b.index);
    return known;
  };

  const rowsOf = (pairs: readonly Pair[]): readonly Row[] =>
    pairs.map(toRow).filter((row) => row !== undefined);
  return {
    definition,
    size: () => list().length,
    rowAt(place) {
      const pair = list()[place];
      const row = pair && toRow(pair);
      if (row === undefined) throw new RangeError(`There is no row ${place}`);
      return row;
    },
    lowerBound: (id15) =>
      lowerBound(list().length, (place) => idOf(list()[place] ?? NO_PAIR).slice(0, 15) < id15),
    find: (id15) => toRow(readRelationId(definition.keyPrefix, id15)),
    lookups: {
      ContactId(id15: string) {
        const person = people.get(numberOf(id15, PREFIXES.Contact) ?? 0);
        if (person === undefined) return [];
        const removed = listRemoved().filter((pair) => pair.person === person.index);
        return rowsOf([...pairsOf(person), ...removed]);
      },
      [parentField]: (id15: string) => {
        const index = toSalesforceIndex(kind, id15);
        const found = links
          .find(kind, index, 'contact')
          .flatMap((link) => people.get(link.index) ?? []);
        const pairs = [...found.flatMap(pairsOf), ...listRemoved()];
        return rowsOf(pairs.filter((pair) => records.survivorOf(kind, pair.index) === index));
      },
    },
  };
}

/** The id of the row that stands for a link. */
export function toRelationId(prefix: string, { person, index }: Pair): string {
  return makeId(prefix, person * MOST_RECORDS + index);
}

export function readRelationId(prefix: string, id: string): Pair {
  const number = numberOf(id.slice(0, 15), prefix) ?? 0;
  return { person: Math.floor(number / MOST_RECORDS), index: number % MOST_RECORDS };
}

function toAudit(createdAt: number, updatedAt: number): Row {
  const by = makeId(PREFIXES.User, ADMINISTRATOR);
  return {
    CreatedDate: wireSeconds(createdAt),
    CreatedById: by,
    LastModifiedDate: wireSeconds(updatedAt),
    LastModifiedById: by,
    SystemModstamp: wireSeconds(updatedAt),
  };
}

/** More than an account can have of one kind, so that a pair has one number. */
const MOST_RECORDS = 10_000_000;
/** The contacts have left this company, one of the demo's last. */
const ENDED_COMPANY = 902;
const MADE_AT = Date.UTC(2022, 0, 3, 8);
const NO_PAIR: Pair = { person: 0, index: 0 };
const NONE = STAGES[0] as (typeof STAGES)[number];

interface Pair {
  readonly person: number;
  readonly index: number;
}

interface Relation {
  readonly kind: 'company' | 'deal';
  /** The field that refers to the record. */
  readonly parentField: string;
  readonly definition: Table['definition'];
  toFields(person: number, index: number, isPrimary: boolean): Row;
}

interface Contents {
  readonly people: PeopleTable;
  readonly records: RecordsTable;
  readonly links: Links;
}
