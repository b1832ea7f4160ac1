import {
  findSources,
  fits,
  type MappedConnection,
  type OwnField,
  type OwnFields,
  type ProviderField,
} from './own-fields.ts';

/** An own field that customers may map, with the fields of their CRM that fit. */
export interface FieldMatch {
  readonly field: OwnField;
  /**
   * All fields that fit: those that the account has added come first, each group by label, and those without one last.
   */
  readonly options: readonly ProviderField[];
  /** The field that is preselected. Null: none. */
  readonly selected: string | null;
  /** Where the value comes from if the customer has no mapping. Null: from nowhere. */
  readonly fallback: string | null;
}

/**
 * Matches the own fields that customers may map with the fields of a CRM. Preselected are: the connection's mapping,
 * the source that applies without one, or a field of the same name.
 */
export function matchOwnFields(
  own: OwnFields,
  connection: MappedConnection,
  known: readonly ProviderField[],
): readonly FieldMatch[] {
  const current = toSources(own, connection);
  const fallbacks = toSources(own, { ...connection, contactFieldMappings: null });
  const sorted = [...known].sort(
    (a, b) =>
      Number(b.isCustom) - Number(a.isCustom) ||
      Number(hasNoLabel(a)) - Number(hasNoLabel(b)) ||
      a.label.localeCompare(b.label, 'en'),
  );
  return own.fields
    .filter(({ customersMayMap }) => customersMayMap)
    .map((field) => {
      const options = sorted.filter(({ type }) => fits(field.type, type));
      const find = (source: string | undefined) =>
        source === undefined ? undefined : findOption(options, source);
      const source = current.get(field.name);
      const selected = find(source) ?? (source === undefined ? findSameName(options, field) : null);
      return {
        field,
        options,
        selected: selected ?? null,
        fallback: find(fallbacks.get(field.name)) ?? null,
      };
    });
}

function toSources(own: OwnFields, connection: MappedConnection): ReadonlyMap<string, string> {
  return new Map(findSources(own, connection).fields.map(({ name, source }) => [name, source]));
}

/** The field by its exact name. A field of a related record is not listed, and stays as it is. */
function findOption(options: readonly ProviderField[], source: string): string | undefined {
  if (source.includes('.')) return source;
  return options.find(({ name }) => name.toLowerCase() === source.toLowerCase())?.name;
}

function findSameName(options: readonly ProviderField[], { name }: OwnField): string | undefined {
  const wanted = simplify(name);
  return options.find((option) =>
    [option.name, option.label].some((one) => simplify(one) === wanted),
  )?.name;
}

/** Without case, spaces, underscores and Salesforce's suffix of custom fields. */
function simplify(name: string): string {
  return name
    .replace(/__c$/i, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
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

/** Fields of the CRM itself often have only a name. */
function hasNoLabel({ label, name }: ProviderField): boolean {
  return label === name;
}
