/** A parsed query. Positions (`at`) count from 0 and are used by error messages. */
export interface Query {
  readonly select: Select;
  readonly from: Name;
  readonly alias: string | undefined;
  readonly where: Condition | undefined;
  readonly orderBy: readonly Ordering[];
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

export type Select =
  | { readonly kind: 'count' }
  | { readonly kind: 'fields'; readonly items: readonly SelectItem[] }
  | { readonly kind: 'aggregates'; readonly items: readonly Aggregate[] };

export type SelectItem = Name | FieldGroup;

/** FIELDS(STANDARD) and similar. */
export interface FieldGroup extends Name {
  readonly group: 'ALL' | 'STANDARD' | 'CUSTOM';
}

export interface Aggregate {
  readonly distinct: boolean;
  readonly field: Name;
  readonly alias: string;
}

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
      readonly kind: 'in';
      readonly field: Name;
      readonly negated: boolean;
      readonly values: readonly Literal[];
    };

export type CompareOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';

export interface Literal {
  readonly type: LiteralType;
  readonly value: string | number | boolean | null;
  readonly at: number;
}

export type LiteralType = 'string' | 'number' | 'boolean' | 'date' | 'datetime' | 'null';
