/** A parsed query. Positions (`at`) count from 0 and are used by error messages. */
export interface Query {
  readonly select: Select;
  readonly from: Name;
  readonly alias: string | undefined;
  readonly where: Condition | undefined;
  readonly groupBy: readonly Name[];
  readonly having: Condition | undefined;
  readonly orderBy: readonly Ordering[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

export type Select =
  | { readonly kind: 'count' }
  | { readonly kind: 'items'; readonly items: readonly SelectItem[] };

export type SelectItem = SelectedField | FieldGroup | Subquery;

/** A field, or the result of an aggregate function. Only queries with aggregates or groups have aliases. */
export type SelectedField = (Name | Aggregate) & { readonly alias?: string | undefined };

/** The records that refer to this one: `(SELECT Id FROM Contacts)`. */
export interface Subquery {
  readonly query: Query;
}

/** FIELDS(STANDARD) and similar. */
export interface FieldGroup extends Name {
  readonly group: 'ALL' | 'STANDARD' | 'CUSTOM';
}

/** `MAX(CreatedDate)`: HAVING and ORDER BY can name one like a field. */
export interface Aggregate extends Name {
  readonly function: AggregateFunction;
  readonly of: Name;
}

export type AggregateFunction = 'COUNT' | 'COUNT_DISTINCT' | 'MIN' | 'MAX' | 'SUM' | 'AVG';

/** An identifier, or several joined by dots. */
export interface Name {
  readonly text: string;
  readonly at: number;
}

export interface Ordering {
  readonly field: Name;
  readonly descending: boolean;
  readonly nullsLast: boolean;
}

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | {
      readonly kind: 'compare';
      readonly field: Name;
      readonly operator: CompareOperator;
      readonly value: Literal;
    }
  | { readonly kind: 'like'; readonly field: Name; readonly pattern: RegExp }
  | {
      /** INCLUDES and EXCLUDES, for picklists with several values. */
      readonly kind: 'in' | 'includes';
      readonly field: Name;
      readonly negated: boolean;
      readonly values: readonly Literal[];
    };

export type CompareOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

export interface Literal {
  readonly type: LiteralType;
  /** Of a date literal the name in upper case. */
  readonly value: string | number | boolean | null;
  /** The number of a date literal such as `LAST_N_DAYS:30`. */
  readonly count?: number;
  readonly at: number;
}

export type LiteralType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'null'
  | 'dateLiteral';
