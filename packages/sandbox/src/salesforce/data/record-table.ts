import type { CrmRecord, RecordKind, RecordsTable } from '../../records.ts';
import type { ObjectDefinition, Row, RowValue, Table } from '../soql/table.ts';
import { wireSeconds } from '../values/datetime.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { ADMINISTRATOR, customFieldName } from './contact-row.ts';
import { describeCustom } from './custom-fields.ts';
import { ACCOUNT, MACHINE, OPPORTUNITY, PREFIXES, SUBSCRIPTION } from './objects.ts';
import { lowerBound, toAccountValues } from './parents.ts';

/** The records of one kind. */
export function recordTable(records: RecordsTable, kind: RecordKind): Table {
  const list = () => records.all(kind);
  const own = records
    .valueNames(kind)
    .filter((name) => !Object.hasOwn(FIELDS[kind], name))
    .map(customFieldName);
  return {
    definition: describeCustom(
      RECORD_OBJECTS[kind],
      Object.fromEntries(own.map((name) => [name, { type: 'textarea' }])),
    ),
    size: () => list().length,
    rowAt(place) {
      const record = list()[place];
      if (record === undefined) throw new RangeError(`There is no row ${place}`);
      return toRow(kind, record);
    },
    lowerBound: (id15) =>
      lowerBound(
        list().length,
        (place) => toSalesforceId(kind, list()[place]?.index ?? 0).slice(0, 15) < id15,
      ),
    find(id15) {
      const record = records.get(kind, toSalesforceIndex(kind, id15));
      return record && toRow(kind, record);
    },
  };
}

export function toSalesforceId(kind: RecordKind, index: number): string {
  return makeId(RECORD_OBJECTS[kind].keyPrefix, index);
}

export function toSalesforceIndex(kind: RecordKind, id: string): number {
  return numberOf(id.slice(0, 15), RECORD_OBJECTS[kind].keyPrefix) ?? 0;
}

function toRow(kind: RecordKind, record: CrmRecord): Row {
  const { index, values, isDeleted, mergedInto, createdAt, updatedAt } = record;
  const administrator = makeId(PREFIXES.User, ADMINISTRATOR);
  const edited = Object.entries(values).map(([name, value]) => {
    const field = FIELDS[kind][name] ?? customFieldName(name);
    return [field, toValue(kind, field, value)] as const;
  });
  return {
    Name: `${kind} ${index}`,
    OwnerId: administrator,
    ...(kind === 'company' && {
      ...toAccountValues(index),
      MasterRecordId: mergedInto === undefined ? null : toSalesforceId(kind, mergedInto),
    }),
    ...Object.fromEntries(edited),
    Id: toSalesforceId(kind, index),
    IsDeleted: isDeleted,
    CreatedDate: wireSeconds(createdAt),
    CreatedById: administrator,
    LastModifiedDate: wireSeconds(updatedAt),
    LastModifiedById: administrator,
    SystemModstamp: wireSeconds(updatedAt),
  };
}

function toValue(kind: RecordKind, field: string, value: string | null): RowValue {
  const type = RECORD_OBJECTS[kind].fields.get(field.toLowerCase())?.type;
  const isNumber = type === 'currency' || type === 'double';
  return value !== null && isNumber ? Number(value) : value;
}

const RECORD_OBJECTS: Readonly<Record<RecordKind, ObjectDefinition>> = {
  company: ACCOUNT,
  deal: OPPORTUNITY,
  subscription: SUBSCRIPTION,
  machine: MACHINE,
};

/** The field of each value. */
const FIELDS: Readonly<Record<RecordKind, Readonly<Record<string, string>>>> = {
  company: { name: 'Name', industry: 'Industry', phone: 'Phone', domain: 'Website' },
  deal: { name: 'Name', dealstage: 'StageName', amount: 'Amount', closedate: 'CloseDate' },
  subscription: { name: 'Name', plan: 'Plan__c', seats: 'Seats__c' },
  machine: { name: 'Name', serial: 'Serial__c', site: 'Site__c' },
};
