import type { Address, PhoneNumber, PhoneNumberType } from '../../domain/records/contact.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';

/** The values of a list such as `emails`, the primary one first. Empty values are left out. */
export function toLabelled(list: unknown): readonly Labelled[] {
  if (!Array.isArray(list)) return NONE;
  const found: Labelled[] = [];
  for (const one of list.slice(0, MAX_VALUES)) {
    const value = isRecord(one) ? toText(one['value']) : null;
    if (value === null) continue;
    const label = toText(one['label'])?.toLowerCase() ?? null;
    found.push({ value, label, isPrimary: one['primary'] === true });
  }
  return found.sort((one, other) => Number(other.isPrimary) - Number(one.isPrimary));
}

export function toPhoneNumbers(list: unknown): readonly PhoneNumber[] {
  return toLabelled(list).map(({ value, label, isPrimary }) => ({
    phoneNumber: value,
    phoneNumberType: toPhoneType(label, isPrimary),
  }));
}

/** Fax and mobile numbers are known by their labels, which users choose. */
export function toPhoneType(label: string | null, isPrimary: boolean): PhoneNumberType {
  if (label === 'fax' || label === 'mobile') return label;
  return isPrimary ? 'primary' : 'other';
}

/** An address has parts where Pipedrive recognized them, and is one text otherwise. */
export function toAddresses(address: unknown): readonly Address[] {
  if (!isRecord(address)) return NONE;
  const part = (name: string) => toText(address[name]);
  const street = [part('street_number'), part('route')].filter((one) => one !== null).join(' ');
  const parts = {
    street1: street || null,
    street2: part('subpremise'),
    city: part('locality'),
    state: part('admin_area_level_1'),
    postalCode: part('postal_code'),
    country: part('country'),
  };
  const isKnown = Object.values(parts).some((one) => one !== null);
  const whole = isKnown ? null : part('value');
  if (!isKnown && whole === null) return NONE;
  return [{ addressType: 'primary', ...parts, street1: parts.street1 ?? whole }];
}

/** The id of another record. Older responses have it within an object. */
export function toId(value: unknown): string | null {
  return toText(isRecord(value) ? (value['id'] ?? value['value']) : value);
}

const MAX_VALUES = 200;
const NONE: readonly never[] = [];

export interface Labelled {
  readonly value: string;
  readonly label: string | null;
  readonly isPrimary: boolean;
}
