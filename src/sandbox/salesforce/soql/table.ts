/** What a query reads: rows in the form in which the API shows them, in the order of their ids. */
export interface Table {
  readonly definition: ObjectDefinition;
  size(): number;
  rowAt(position: number): Row;
  /** The first position whose id (15 characters) is not smaller. */
  lowerBound(id15: string): number;
  find(id15: string): Row | undefined;
  /** In any order; present where addresses are indexed. The address comes lower-cased. */
  byEmail?(email: string): readonly Row[];
}

export interface Database {
  /** By name, whatever its case. */
  table(name: string): Table | undefined;
  /** Of the user, by whose rules texts compare. */
  readonly locale: string;
}

export type Row = Readonly<Record<string, RowValue>>;
export type RowValue = string | number | boolean | null | CompoundAddress;
export type CompoundAddress = Readonly<Record<string, string | null>>;

export interface ObjectDefinition {
  readonly name: string;
  readonly keyPrefix: string;
  /** By lower-cased name, in the order of the description. */
  readonly fields: ReadonlyMap<string, FieldDefinition>;
}

export interface FieldDefinition {
  readonly name: string;
  readonly type: FieldType;
  readonly length: number;
  readonly nillable: boolean;
  /** For references: the name that leads to the parent (`Account` of `AccountId`) and its object. */
  readonly relationshipName: string | null;
  readonly referenceTo: string | null;
  readonly values: readonly string[];
  /** Absent: none. */
  readonly encryption?: Encryption;
  readonly isCalculated?: boolean;
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
  | 'boolean'
  | 'double'
  | 'date'
  | 'datetime'
  | 'address';
