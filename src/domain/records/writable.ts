import { withNotes } from '../../provider-texts.ts';
import {
  type Fields,
  field,
  id,
  json,
  moment,
  nullable,
  patch,
  type Scalar,
  type Shape,
  shape,
} from '../shape.ts';
import type { CrmRecord, RecordKind } from './record.ts';
import type { RecordTarget } from './record-search.ts';
import { resultOf, type WriteResult } from './write.ts';

/**
 * A type of record that can be written: its changes, from which the inputs of all APIs are derived, and what is said of
 * one record. An absent field is unchanged, and null clears it.
 */
export interface WritableKind {
  readonly record: RecordKind<CrmRecord>;
  readonly changes: Shape<Changes>;
  /** One record of each operation. Records that nothing identifies outside of the CRM have no upsert. */
  readonly items: ReadonlyMap<WriteVerb, Shape<WriteItem>>;
  readonly result: Shape<WriteResult>;
  /** As documents show them. */
  readonly exampleKey: Readonly<Record<string, string>>;
  readonly exampleChanges: Readonly<Record<string, unknown>>;
}

/** Changes as an API reads them: by the fields of the record, and the two kinds of fields of the CRM. */
export type Changes = Readonly<Record<string, unknown>> & {
  readonly customFields?: Readonly<Record<string, unknown>> | null | undefined;
  readonly rawFields?: Readonly<Record<string, unknown>> | null | undefined;
};

/** One record of a write, unchecked. */
export interface WriteItem {
  /** Of an update. */
  readonly remoteId?: string | undefined;
  /** Of an upsert of contacts. */
  readonly email?: string | undefined;
  /** Of an upsert by a custom field with unique values. */
  readonly customField?: string | undefined;
  readonly value?: string | undefined;
  readonly changes: Changes;
  readonly ifUnmodifiedSince?: string | null | undefined;
}

export interface WriteInput extends RecordTarget {
  readonly idempotencyKey?: string | null | undefined;
  readonly dryRun?: boolean | null | undefined;
  /** Of an upsert: records that are not found are refused. */
  readonly updateOnly?: boolean | null | undefined;
  readonly allowDuplicates?: boolean | null | undefined;
  readonly records: readonly WriteItem[];
}

export type WriteVerb = 'upsert' | 'create' | 'update';

export function declareWritable<Item extends CrmRecord>(
  record: RecordKind<Item>,
  { fields, key = {}, exampleChanges }: Declared,
): WritableKind {
  const {
    noun,
    nouns,
    shape: { name },
  } = record;
  const changes = patch(
    `${name}Changes`,
    `Changes of a ${noun}. An absent field is unchanged, null clears it, and an empty string is refused.`,
    {},
    { ...fields, ...crmFields(nouns) },
  );
  const CHANGES = field(changes, `Values to write.`);
  const condition = {
    ifUnmodifiedSince: nullable(
      moment,
      withNotes(
        `The \`lastModifiedAt\` that you have read. A ${noun} that was changed since is refused with \`CONFLICT\`. It is compared just before the write.`,
        'write.ifUnmodifiedSince',
      ),
    ),
  };
  const keys = Object.entries(key).map(([one, { type, description, example }]) => [
    one,
    field(type, description, { example }),
  ]);
  const made = (verb: string, what: string, all: Fields) =>
    shape(`${name}${verb}`, `One ${noun} to ${what}.`, all) as Shape<unknown> as Shape<WriteItem>;
  const items = new Map<WriteVerb, Shape<WriteItem>>([
    ['create', made('Creation', 'create', { changes: CHANGES })],
    [
      'update',
      made('Update', 'change', {
        remoteId: field(id, `Id of the ${noun} in the CRM.`, { example: '101' }),
        changes: CHANGES,
        ...condition,
      }),
    ],
  ]);
  const all = { ...Object.fromEntries(keys), changes: CHANGES, ...condition };
  return {
    record,
    changes: changes as Shape<Changes>,
    items:
      keys.length > 0
        ? new Map([['upsert', made('Upsert', 'create or change', all)], ...items])
        : items,
    result: resultOf(name, noun),
    exampleKey: Object.fromEntries(Object.entries(key).map(([one, { example }]) => [one, example])),
    exampleChanges,
  };
}

function crmFields(nouns: string) {
  return {
    customFields: nullable(
      json,
      `Custom fields of your application by name, as they are read: strings, numbers, booleans and lists of strings.`,
      { example: { favoriteColor: 'violet' } },
    ),
    rawFields: nullable(
      json,
      `Fields of the CRM by the names of its API, at most 100. \`writableFields\` lists what ${nouns} have.`,
      { example: { jobtitle: 'Analyst' } },
    ),
  };
}

/** The most fields of the CRM that one record names itself. */
export const MAX_RAW_CHANGES = 100;

interface Declared {
  readonly fields: Fields;
  /** What finds the record of an upsert. Absent: nothing does. */
  readonly key?: Readonly<
    Record<
      string,
      { readonly type: Scalar<string>; readonly description: string; readonly example: string }
    >
  >;
  readonly exampleChanges: Readonly<Record<string, unknown>>;
}

/** The names of the changes in common, for the tables of adapters. */
export type ChangeTable<Name extends string> = Readonly<Record<Name, FieldWrite>>;

/** How a CRM takes a field of the common shape: the inverse of the table by which it is read. */
export type FieldWrite =
  /** One field of the CRM. */
  | { readonly to: string }
  /** A day. Where the field of the CRM has a time as well, it is noon in UTC, which is the same day almost everywhere. */
  | { readonly day: string }
  /** A list whose entries have fields of their own by their type. `value` is the member with the value. */
  | {
      readonly type: string;
      readonly value: string;
      readonly entries: Readonly<Record<string, string>>;
    }
  /** Postal addresses by their type, each with the names of its parts. */
  | { readonly addresses: Readonly<Record<string, AddressParts>> }
  /** An amount, with the field of its currency where the CRM has one. */
  | { readonly amount: string; readonly currency?: string }
  /** The CRM derives it from this other change, so that nothing is written. */
  | { readonly impliedBy: string }
  /** The CRM does not take it. The text follows "The field x". */
  | { readonly readOnly: string };

export interface AddressParts {
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly postalCode: string;
  readonly country: string;
}
