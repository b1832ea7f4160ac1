/** A table of a query: rows in the API's format, ordered by id. */
export interface Table {
  readonly definition: ObjectDefinition;
  size(): number;
  rowAt(position: number): Row;
  /** The first position whose id (15 characters) is not smaller (binary search). */
  lowerBound(id15: string): number;
  find(id15: string): Row | undefined;
  /** In any order; present if emails are indexed. The email must be lower-cased. */
  byEmail?(email: string): readonly Row[];
  /** Finds the rows that refer to a record, in any order, by the names of the fields that are indexed. */
  readonly lookups?: Readonly<Record<string, (id15: string) => readonly Row[]>>;
}

export interface Database {
  /** Finds a table by its name, case-insensitively. */
  table(name: string): Table | undefined;
  tables(): Iterable<Table>;
  /** The locale of the user, which decides how strings compare. */
  readonly locale: string;
}

export type Row = Readonly<Record<string, RowValue>>;
export type RowValue = string | number | boolean | null | CompoundAddress;
export type CompoundAddress = Readonly<Record<string, string | null>>;

export interface ObjectDefinition {
  readonly name: string;
  readonly keyPrefix: string;
  /** By lower-cased name, in the order of the describe. */
  readonly fields: ReadonlyMap<string, FieldDefinition>;
}

export interface FieldDefinition {
  readonly name: string;
  /** Absent: derived from the name. */
  readonly label?: string;
  readonly type: FieldType;
  readonly length: number;
  readonly nillable: boolean;
  /** For references: the relationship name (`Account` for `AccountId`) and its object. */
  readonly relationshipName: string | null;
  readonly referenceTo: string | null;
  /** The name that a subquery on the referenced object uses for these records: `Contacts` of an account. */
  readonly childRelationshipName: string | null;
  readonly values: readonly string[];
  /** Absent: none. */
  readonly encryption?: Encryption;
  readonly isCalculated?: boolean;
  /** It takes its values only. */
  readonly isRestricted?: boolean;
  readonly isUnfilterable?: boolean;
  /** No two records have one value. */
  readonly isUnique?: boolean;
}

export type Encryption = 'probabilistic' | 'deterministic';

export type FieldType =
  | 'id'
  | 'reference'
  | 'string'
  | 'textarea'
  | 'email'
  | 'phone'
  | 'picklist'
  | 'url'
  | 'encryptedstring'
  | 'combobox'
  | 'multipicklist'
  | 'time'
  | 'location'
  | 'boolean'
  | 'int'
  | 'long'
  | 'double'
  | 'currency'
  | 'percent'
  | 'date'
  | 'datetime'
  | 'address';
