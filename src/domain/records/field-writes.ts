import { isRecord } from '../../lib/json.ts';
import { quote } from '../../lib/text.ts';
import type { AddressParts, Changes, FieldWrite } from './writable.ts';
import type { WriteProblem } from './write.ts';

/** A value for one field of the CRM, and where the input has it. */
export interface FieldChange {
  readonly crmField: string;
  readonly value: unknown;
  /** Below the record of the input. */
  readonly path: readonly string[];
  /** The given field, such as `firstName` or `customFields.favoriteColor`. */
  readonly name: string;
  /** What a record has that has no value of the field. */
  readonly fallback?: string | undefined;
  /** Of its value, only the day counts. */
  readonly isDay?: true;
}

/** The fields of the CRM that changes are made of, or the problems with them. */
export interface CrmChanges {
  readonly changes: readonly FieldChange[];
  readonly problems: readonly WriteProblem[];
}

/** Translates the changes of the common shape by an adapter's table. Values are not checked yet. */
export function toCrmChanges(
  table: Readonly<Record<string, FieldWrite>>,
  changes: Changes,
): CrmChanges {
  const collected: Collected = { changes: [], problems: [] };
  for (const [name, write] of Object.entries(table)) {
    const value = changes[name];
    if (value !== undefined) collect(collected, { name, write, value });
  }
  return collected;
}

function collect(
  { changes, problems }: Collected,
  {
    name,
    write,
    value,
  }: { readonly name: string; readonly write: FieldWrite; readonly value: unknown },
): void {
  const path = ['changes', name];
  const want = (crmField: string, one: unknown, ...steps: readonly string[]) =>
    changes.push({ crmField, value: one, path: [...path, ...steps], name });
  if ('readOnly' in write) {
    problems.push(toProblem('READ_ONLY', `The field ${name} ${write.readOnly}`, path));
    return;
  }
  if ('impliedBy' in write) return;
  if ('to' in write) {
    want(write.to, value);
    return;
  }
  if ('day' in write) {
    changes.push({ crmField: write.day, value, path, name, isDay: true });
    return;
  }
  if ('amount' in write) {
    const { value: amount = null, currency } = isRecord(value) ? value : {};
    want(write.amount, amount, ...(value === null ? [] : ['value']));
    if (currency === null || currency === undefined) return;
    if (write.currency) want(write.currency, currency, 'currency');
    else
      problems.push(
        toProblem('READ_ONLY', `The currency of ${name} cannot be written: leave it out.`, [
          ...path,
          'currency',
        ]),
      );
    return;
  }
  const [typeName, slots] =
    'addresses' in write ? ['addressType', write.addresses] : [write.type, write.entries];
  const entriesByType = new Map<
    string,
    { readonly entry: Record<string, unknown>; readonly at: string }
  >();
  for (const [index, entry] of (Array.isArray(value) ? value : []).entries()) {
    const type = isRecord(entry) ? String(entry[typeName]) : '';
    const place = [...path, String(index)];
    if (!Object.hasOwn(slots, type)) {
      const known = Object.keys(slots).join(', ');
      problems.push(
        toProblem(
          'READ_ONLY',
          `The CRM takes no entry of the type ${quote(type)} in ${name}. It takes ${known}.`,
          place,
        ),
      );
    } else if (entriesByType.has(type)) {
      problems.push(
        toProblem('INVALID_VALUE', `${name} has two entries of the type ${quote(type)}.`, place),
      );
    } else entriesByType.set(type, { entry: entry as Record<string, unknown>, at: String(index) });
  }
  for (const [type, slot] of Object.entries(slots)) {
    const one = entriesByType.get(type);
    const steps = one ? [one.at] : [];
    if ('addresses' in write) {
      for (const [crmField, part, step] of readAddress(slot as AddressParts, one?.entry))
        want(crmField, part, ...steps, ...(one ? [step] : []));
    } else {
      want(
        slot as string,
        one ? one.entry[write.value] : null,
        ...steps,
        ...(one ? [write.value] : []),
      );
    }
  }
}

/** The parts of an address: the two lines of the street are one field. */
function readAddress(
  parts: AddressParts,
  entry: Readonly<Record<string, unknown>> | undefined,
): readonly (readonly [crmField: string, value: unknown, step: string])[] {
  const { street1 = null, street2 = null } = entry ?? {};
  const street = street2 === null ? street1 : `${street1 ?? ''}\n${street2}`;
  return [
    [parts.street, street, 'street1'],
    [parts.city, entry?.['city'] ?? null, 'city'],
    [parts.state, entry?.['state'] ?? null, 'state'],
    [parts.postalCode, entry?.['postalCode'] ?? null, 'postalCode'],
    [parts.country, entry?.['country'] ?? null, 'country'],
  ];
}

export function toProblem(
  code: WriteProblem['code'],
  message: string,
  path: readonly string[] | null = null,
  more: Partial<WriteProblem> = {},
): WriteProblem {
  return {
    code,
    message,
    field: path,
    remoteCode: null,
    remoteMessage: null,
    existingRemoteIds: [],
    isRetryable: false,
    ...more,
  };
}

interface Collected {
  readonly changes: FieldChange[];
  readonly problems: WriteProblem[];
}
