import { type CustomFields, isSource, MAX_SOURCE } from '../domain/custom-fields.ts';
import { CrossbookError, type Mistakes, refuseMistakes } from '../domain/errors.ts';
import type { Providers } from '../domain/provider.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { CUSTOM_FIELD_RECORDS, type RecordType } from '../domain/records/record-type.ts';
import { quote } from '../lib/text.ts';

/** What is wrong with the source of a custom field. Without a provider, only its form is checked. */
export function findSourceMistake(
  source: string,
  providerName: ProviderName | undefined,
  providers: Providers,
): string | false {
  if (!isSource(source)) {
    return `the source ${quote(source)} is not a valid field name: use letters, digits and underscores, with at most one dot, at most ${MAX_SOURCE} characters`;
  }
  const access = providerName && providers.get(providerName)?.crm;
  return (
    source.includes('.') &&
    providerName !== undefined &&
    access !== undefined &&
    access.readsRelatedFields !== true &&
    `the source ${quote(source)} has a dot, and ${PROVIDER_TITLES[providerName]} has no fields of related records`
  );
}

export function requireCustomFieldsOf(record: RecordType): void {
  if (CUSTOM_FIELD_RECORDS.includes(record)) return;
  throw new CrossbookError(
    'NOT_IMPLEMENTED',
    `Custom fields of the record type ${record} are not supported: they can be declared for ${CUSTOM_FIELD_RECORDS.join(', ')}.`,
  );
}

/** A name that is not declared is most likely misspelled, which an empty result would hide. */
export function refuseUndeclared({ definitions }: CustomFields, names: readonly string[]): void {
  const unknown = names.filter((name) => !definitions.some((field) => field.name === name));
  if (unknown.length === 0) return;
  refuseMistakes([`No custom field is called ${unknown.slice(0, 10).map(quote).join(', ')}`]);
}

export function refuseMoreThan(most: number, what: string, given: readonly unknown[]): void {
  if (given.length <= most) return;
  throw new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    `Too many ${what}: ${given.length}. At most ${most} are allowed.`,
  );
}

/** The mistakes as sentences that begin with their place. */
export function describeMistakes(place: string, mistakes: Mistakes): readonly string[] {
  return mistakes.filter((one) => one !== false).map((mistake) => `${place}: ${mistake}`);
}
