import type { ContactField } from './contact.ts';

/** What is to be fetched of a contact. */
export interface Want {
  /** Raw data is the whole record: with it, every field is wanted. */
  readonly rawData: boolean;
  /** The only fields that will be looked at: others may be empty, whatever the provider has. Absent: all. */
  readonly fields?: WantedFields | undefined;
}

export type WantedFields = ReadonlySet<ContactField>;

/** Undefined, too, is an answer: all of them. */
export function readWantedFields({ rawData, fields }: Want): WantedFields | undefined {
  return rawData ? undefined : fields;
}

/** What serves several at once. */
export function uniteWants(wants: readonly Want[]): Want {
  const rawData = wants.some((want) => want.rawData);
  if (wants.some(({ fields }) => fields === undefined)) return { rawData };
  const [first] = wants;
  if (first && wants.every(({ fields }) => fields === first.fields)) return { rawData, fields: first.fields };
  return { rawData, fields: new Set(wants.flatMap(({ fields }) => [...(fields ?? [])])) };
}

/** Would an answer with these fields have all that is wanted? */
export function coversFields(had: readonly string[] | undefined, want: Want): boolean {
  if (had === undefined) return true;
  const wanted = readWantedFields(want);
  return wanted !== undefined && [...wanted].every((field) => had.includes(field));
}
