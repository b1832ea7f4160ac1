import { recordType } from './records/record-type.ts';
import { field, type Of, shape, string, words, wordsOf } from './shape.ts';

export const customFieldType = words('CustomFieldType', 'Type of a custom field.', {
  TEXT: 'A string.',
  NUMBER: 'A number.',
  BOOLEAN: 'True or false.',
  DATE: 'A date, e.g. `2026-01-31`.',
  DATETIME: 'A time in UTC, e.g. `2026-01-31T10:00:00.000Z`.',
  CHOICE: 'One value of a list, by its name in the CRM’s API.',
  CHOICES: 'Several values of a list, by their names in the CRM’s API.',
});
export const CUSTOM_FIELD_TYPES = wordsOf(customFieldType);
export type CustomFieldType = Of<typeof customFieldType>;

const MAPPING = 'The field of a customer’s CRM that a custom field is read from.';
const mappingFields = {
  field: field(string, 'Name of the custom field.', { example: 'favoriteColor' }),
  source: field(
    string,
    'Name of the field in the provider’s API, e.g. `favorite_color` or `Account.Industry`.',
    { example: 'Favorite_Color__c' },
  ),
};

/** A customer's own source of a custom field. */
export const customFieldMapping = shape('CustomFieldMapping', MAPPING, {
  record: field(recordType, 'Type of the records that have the custom field.'),
  ...mappingFields,
});
export type CustomFieldMapping = Of<typeof customFieldMapping>;

/** A mapping to set, of the type of record that is named with the list. */
export const givenFieldMapping = shape('CustomFieldMapping', MAPPING, mappingFields);
export type GivenFieldMapping = Of<typeof givenFieldMapping>;

export const mappingProblemKind = words('MappingProblemKind', 'What is wrong with a mapping.', {
  MISSING: 'The CRM has no field of this name, or does not show it to the connected user.',
  HIDDEN: 'The CRM has the field, and does not show it to the connected user.',
  TYPE_MISMATCH: 'The type of the CRM’s field, or a value of it, does not fit the custom field.',
  NOT_FILTERABLE: 'The CRM cannot filter by the field.',
  UNKNOWN_FIELD: 'No custom field has this name.',
  UNKNOWN_OBJECT:
    'The mapping is of an object that no type of record is read from, or of a custom one.',
});
export type MappingProblemKind = Of<typeof mappingProblemKind>;

/** A custom field and where one connection has it. */
export interface SourcedField {
  readonly name: string;
  readonly type: CustomFieldType;
  readonly source: string;
}

/** Custom fields to read from one connection. */
export interface CustomFieldSelection {
  /** Equal for connections and declarations whose fields have the same sources. */
  readonly key: string;
  /** All selected fields, also those without a source. */
  readonly names: readonly string[];
  readonly fields: readonly SourcedField[];
  /**
   * Called for a field that cannot be read, with a problem that the CRM has shown, and with the record whose value
   * shows it, if one does.
   */
  onProblem(field: SourcedField, problem: MappingProblemKind, remoteId?: string): void;
}

/** The value of a custom field. Null: the CRM has none, or one that does not fit. */
export type CustomFieldValue = string | number | boolean | readonly string[] | null;

export type CustomFieldValues = Readonly<Record<string, CustomFieldValue>>;
