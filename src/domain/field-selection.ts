import type { ContactField } from './contact.ts';

/** What is to be fetched of a contact. */
export interface FieldSelection {
  /** Raw data is the whole record: with it, every field is wanted. */
  readonly rawData: boolean;
  /** The only fields that will be looked at: others may be empty, whatever the provider has. Absent: all. */
  readonly fields?: SelectedFields | undefined;
}

export type SelectedFields = ReadonlySet<ContactField>;

/** Undefined, too, is an answer: all of them. */
export function readSelectedFields({ rawData, fields }: FieldSelection): SelectedFields | undefined {
  return rawData ? undefined : fields;
}

/** What serves several at once. */
export function mergeSelections(selections: readonly FieldSelection[]): FieldSelection {
  const rawData = selections.some((one) => one.rawData);
  if (selections.some(({ fields }) => fields === undefined)) return { rawData };
  const [first] = selections;
  if (first && selections.every(({ fields }) => fields === first.fields))
    return { rawData, fields: first.fields };
  return { rawData, fields: new Set(selections.flatMap(({ fields }) => [...(fields ?? [])])) };
}

/** Would an answer with these fields have all that is wanted? */
export function includesFields(had: readonly string[] | undefined, selection: FieldSelection): boolean {
  if (had === undefined) return true;
  const wanted = readSelectedFields(selection);
  return wanted !== undefined && [...wanted].every((field) => had.includes(field));
}
