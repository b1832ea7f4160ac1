/** What a write requires of the stored version, for optimistic locking. */
export type WriteMode = 'always' | 'absent' | 'present';

/** Undefined: any version. 0: nothing may be stored yet. Otherwise the stored version must be this one. */
export function toWriteMode(expectedVersion: number | undefined): WriteMode {
  if (expectedVersion === undefined) return 'always';
  return expectedVersion === 0 ? 'absent' : 'present';
}

export function isExpectedVersion(version: number | undefined): boolean {
  return version === undefined || (Number.isSafeInteger(version) && version >= 0);
}
