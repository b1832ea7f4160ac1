import type { CustomFieldType } from './custom-field.ts';
import {
  type CustomField,
  type CustomFields,
  findSources,
  fits,
  type MappedConnection,
  type ProviderField,
} from './custom-fields.ts';

/** A custom field that customers may map, with the fields of their CRM that fit. */
export interface FieldMatch {
  readonly field: CustomField;
  /**
   * The fields that fit: those that the account has added come first, each group by label. The CRM's own fields without
   * a label, such as `hs_object_id`, are left out.
   */
  readonly options: readonly ProviderField[];
  /** The field that is preselected. Null: none. */
  readonly selected: string | null;
  /** Where the value comes from if the customer has no mapping. Null: from nowhere. */
  readonly fallback: string | null;
}

/**
 * Matches the custom fields of a type of record that customers may map with the fields of a CRM. Preselected are: the connection's mapping,
 * the source that applies without one, or a field of the same name.
 */
export function matchCustomFields(
  own: CustomFields,
  { connection, objectName }: MatchedConnection,
  known: readonly ProviderField[],
): readonly FieldMatch[] {
  const toSources = (mapped: MappedConnection) =>
    new Map(findSources(own, mapped, objectName).fields.map(({ name, source }) => [name, source]));
  const current = toSources(connection);
  const fallbacks = toSources({ ...connection, customFieldMappings: null });
  const find = groupByType(toSorted(known));
  return own.definitions
    .filter(({ customersMayMap }) => customersMayMap)
    .map((field) => {
      const { options, findOption, findSameName } = find(field.type);
      const source = current.get(field.name);
      const fallback = fallbacks.get(field.name);
      return {
        field,
        options,
        selected: (source === undefined ? findSameName(field) : findOption(source)) ?? null,
        fallback: (fallback === undefined ? undefined : findOption(fallback)) ?? null,
      };
    });
}

interface MatchedConnection {
  readonly connection: MappedConnection;
  /** The CRM's name of the object, where it is another one than that of the type of record. */
  readonly objectName?: string | undefined;
}

/** A CRM has up to 2,000 fields: what is looked at for each custom field is prepared once for all of them. */
function groupByType(sorted: readonly ProviderField[]): (type: CustomFieldType) => FittingFields {
  const simplified = new Map(
    sorted.map((field) => [field, [simplify(field.name), simplify(field.label)]]),
  );
  const groups = new Map<CustomFieldType, FittingFields>();
  return (type) => {
    const known = groups.get(type);
    if (known) return known;
    const fitting = sorted.filter((field) => fits(type, field.type));
    const options = fitting.filter((field) => field.isCustom || !hasNoLabel(field));
    const byName = new Map(fitting.map(({ name }) => [name.toLowerCase(), name]));
    const bySimplified = new Map<string, string>();
    // Backwards, so that the first of equal names remains.
    for (const field of options.toReversed())
      for (const text of simplified.get(field) ?? []) bySimplified.set(text, field.name);
    const group: FittingFields = {
      options,
      // A field of a related record is not listed, and stays as it is.
      findOption: (source) => (source.includes('.') ? source : byName.get(source.toLowerCase())),
      findSameName: ({ name }) => bySimplified.get(simplify(name)),
    };
    groups.set(type, group);
    return group;
  };
}

/** The fields of a CRM that fit one type. */
interface FittingFields {
  readonly options: readonly ProviderField[];
  /** The field by its exact name. */
  findOption(source: string): string | undefined;
  findSameName(field: CustomField): string | undefined;
}

function toSorted(known: readonly ProviderField[]): readonly ProviderField[] {
  return known
    .map((field) => ({ field, label: field.label.slice(0, SORTED_BY) }))
    .sort(
      (a, b) => Number(b.field.isCustom) - Number(a.field.isCustom) || compare(a.label, b.label),
    )
    .map(({ field }) => field);
}

const { compare } = new Intl.Collator('en');
/** Characters of a label: long ones take microseconds to compare. */
const SORTED_BY = 60;

/** Without case, spaces, underscores and the suffix `__c` of custom fields. */
function simplify(name: string): string {
  return name
    .replace(/__c$/i, '')
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .toLowerCase();
}

/** `favoriteColor` as a title: `Favorite color`. */
export function toTitle(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  const lower = words.replace(/\b[A-Z](?=[a-z]|\b)/g, (letter) => letter.toLowerCase());
  return lower.slice(0, 1).toUpperCase() + lower.slice(1);
}

/** Whether it has only a technical name, which means nothing to users of the CRM. */
function hasNoLabel({ label, name }: ProviderField): boolean {
  return label === name && /^[a-z][a-z0-9_]*$/.test(name);
}
