import { type CustomFields, isSource, MAX_SOURCE } from '../domain/custom-fields.ts';
import { CrossbookError, type Mistakes, refuseMistakes } from '../domain/errors.ts';
import type { Providers } from '../domain/provider.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
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

/** A name that is not declared is most likely misspelled, which an empty result would hide. */
export function refuseUndeclared(
  { record, definitions }: CustomFields,
  names: readonly string[],
): void {
  const unknown = names.filter((name) => !definitions.some((field) => field.name === name));
  if (unknown.length === 0) return;
  refuseMistakes([
    `No custom field of ${RECORDS[record].nouns} is called ${unknown.slice(0, 10).map(quote).join(', ')}`,
  ]);
}

export function refuseMoreThan(most: number, what: string, items: readonly unknown[]): void {
  if (items.length <= most) return;
  throw new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    `Too many ${what}: ${items.length}. At most ${most} are allowed.`,
  );
}

/** The mistakes as sentences that begin with their place. */
export function describeMistakes(place: string, mistakes: Mistakes): readonly string[] {
  return mistakes.filter((one) => one !== false).map((mistake) => `${place}: ${mistake}`);
}
