import type { RecordKind } from '../records.ts';

const FIRST_PERSON = 100;
const FIRST: Readonly<Record<RecordKind, number>> = {
  company: 40_000,
  deal: 60_000,
  subscription: 200_000,
  machine: 300_000,
};

export function personId(index: number): number {
  return FIRST_PERSON + index;
}

export function indexOfPerson(id: string): number | undefined {
  return /^\d{1,15}$/.test(id) ? Number(id) - FIRST_PERSON : undefined;
}

export function toPipedriveId(kind: RecordKind, index: number): string {
  return String(FIRST[kind] + index);
}

export function toPipedriveIndex(kind: RecordKind, id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) - FIRST[kind] : 0;
}

/** Users are numbered from 1. */
export function ownerId(index: number): number {
  return 16_166_000 + index;
}

export function ownerIndexOf(id: number): number {
  return id - ownerId(0);
}

export function isOwner(id: number): boolean {
  const index = ownerIndexOf(id);
  return index >= 1 && index <= OWNERS;
}

export const OWNERS = 20;
