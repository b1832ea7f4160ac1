import { RECORD_TYPES, type RecordType, recordType } from './records/record-type.ts';
import { boolean, field, listOf, type Of, shape, string, words, wordsOf } from './shape.ts';

export const accessLevel = words('AccessLevel', 'What may be done with records.', {
  READ: 'Records may be read.',
  READ_WRITE: 'Records may be read, created and changed. None may be deleted.',
});
export type AccessLevel = Of<typeof accessLevel>;
export const ACCESS_LEVELS = wordsOf(accessLevel);

/** What a connect link or an application asks for. */
export interface RequestedAccess {
  readonly records: readonly RecordType[];
  readonly access: AccessLevel;
}

export const DEFAULT_ACCESS: RequestedAccess = { records: ['CONTACT'], access: 'READ' };

/** What a customer has allowed. What may be changed may be read, too. */
export interface AllowedRecords {
  readonly readableRecords: readonly RecordType[];
  readonly writableRecords: readonly RecordType[];
}

export function toAllowedRecords({ records, access }: RequestedAccess): AllowedRecords {
  const readableRecords = inOrder(records);
  return { readableRecords, writableRecords: access === 'READ_WRITE' ? readableRecords : [] };
}

/** What either allows. */
export function uniteAllowed(
  one: AllowedRecords,
  other: AllowedRecords | undefined,
): AllowedRecords {
  if (!other) return one;
  return {
    readableRecords: inOrder([...one.readableRecords, ...other.readableRecords]),
    writableRecords: inOrder([...one.writableRecords, ...other.writableRecords]),
  };
}

/** Whether the first allows everything that the second does. */
export function includesAllowed(whole: AllowedRecords, part: AllowedRecords): boolean {
  return (
    part.readableRecords.every((type) => whole.readableRecords.includes(type)) &&
    part.writableRecords.every((type) => whole.writableRecords.includes(type))
  );
}

/** Each once, in the order of the catalogue. Types that a later version has stored are left out. */
export function inOrder(types: readonly RecordType[]): readonly RecordType[] {
  return RECORD_TYPES.filter((type) => types.includes(type));
}

export type RecordOperation = 'read' | 'write';

/** The OAuth scopes that operations on records of one type need. */
export type RecordScopes = Readonly<Record<RecordOperation, readonly string[]>>;

/** The scopes without which a connection has not all of this access. */
export function listScopes(
  { baseScopes, recordScopes }: ScopeRules,
  { readableRecords, writableRecords }: AllowedRecords,
): readonly string[] {
  return [
    ...new Set([
      ...baseScopes,
      ...readableRecords.flatMap((type) => recordScopes[type]?.read ?? []),
      ...writableRecords.flatMap((type) => recordScopes[type]?.write ?? []),
    ]),
  ];
}

/** Those of the needed scopes that were not granted, by their own name or with another scope. */
export function findMissing(
  { impliedScopes }: Pick<ScopeRules, 'impliedScopes'>,
  needed: readonly string[],
  granted: readonly string[],
): readonly string[] {
  const names = new Set(granted.flatMap((scope) => [scope, ...(impliedScopes[scope] ?? [])]));
  return needed.filter((scope) => !names.has(scope));
}

/** The OAuth scopes of a provider. */
export interface ScopeRules {
  /** Always requested: for the account, and for lasting access. */
  readonly baseScopes: readonly string[];
  /** Absent: connect links cannot ask for records of this type. */
  readonly recordScopes: Readonly<Partial<Record<RecordType, RecordScopes>>>;
  /** Other names of a scope, and scopes that it includes. */
  readonly impliedScopes: Readonly<Record<string, readonly string[]>>;
}

export const grantedAccess = shape(
  'GrantedAccess',
  'Access of a connection to records of one type: what was allowed, as far as the scopes that the customer granted suffice for it.',
  {
    record: field(recordType, 'Type of the records.'),
    canRead: field(boolean, 'Whether they may be read.'),
    canWrite: field(boolean, 'Whether they may be created and changed.'),
    missingScopes: field(
      listOf(string),
      'OAuth scopes that what was allowed needs, and that the customer did not grant. Empty if the credentials came by an upsert, whose scopes are unknown.',
      { items: 2 },
    ),
  },
);
export type GrantedAccess = Of<typeof grantedAccess>;

export const grantableAccess = shape(
  'GrantableAccess',
  'Access to records of one type that a connect link can ask for.',
  {
    record: field(recordType, 'Type of the records.'),
    readScopes: field(
      listOf(string),
      'OAuth scopes that reading them needs: set them in your app at the provider.',
      { items: 1, example: ['crm.objects.contacts.read'] },
    ),
    writeScopes: field(
      listOf(string),
      'OAuth scopes that creating and changing them needs in addition.',
      { items: 1, example: ['crm.objects.contacts.write'] },
    ),
  },
);
