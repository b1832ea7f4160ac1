import { CUSTOM_FIELD_TYPES } from '../domain/custom-field.ts';
import {
  type CustomField,
  type CustomFieldStore,
  type CustomFields,
  isCustomFieldName,
  isReservedName,
  MAX_CUSTOM_FIELDS,
  MAX_FIELD_DESCRIPTION,
} from '../domain/custom-fields.ts';
import { CrossbookError, type Mistakes, refuseMistakes } from '../domain/errors.ts';
import { isExpectedVersion } from '../domain/expected-version.ts';
import type { Providers } from '../domain/provider.ts';
import {
  findProviderName,
  type ProviderName,
  toUnknownProvider,
} from '../domain/provider-names.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import { isStorableJson, quote } from '../lib/text.ts';
import { type CallerDeps, withApiKey } from './authorization.ts';
import { describeMistakes, findSourceMistake, refuseMoreThan } from './custom-field-mistakes.ts';

/** Reads the application's custom fields of one type of record. */
export function readCustomFields(deps: CustomFieldDeps, record: RecordType): Promise<CustomFields> {
  return withApiKey(deps, 'readCustomFields', async () => (await deps.customFields.read())[record]);
}

/** Replaces the application's custom fields of one type of record. Other processes follow within five seconds. */
export function setCustomFields(deps: DeclareDeps, input: CustomFieldsInput) {
  return withApiKey(deps, 'setCustomFields', async () => {
    const stored = await storeCustomFields(deps, input);
    deps.forgetCustomFields();
    return stored;
  });
}

/** The same for a command, which has no caller. */
export function storeCustomFields(
  { customFields, providers }: Pick<DeclareDeps, 'customFields' | 'providers'>,
  { record, definitions, typedSchema, expectedVersion }: CustomFieldsInput,
): Promise<CustomFields> {
  const declared = {
    record,
    definitions: checkCustomFields(record, definitions, providers),
    typedSchema: typedSchema ?? false,
  };
  const version = expectedVersion ?? undefined;
  if (isExpectedVersion(version)) return customFields.replace(declared, version);
  throw new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    'The expected version must be a whole number from 0.',
  );
}

const MAX_BYTES = 256 * 1024;

/** Reports the first mistakes at once, each with the field's place and name. */
function checkCustomFields(
  record: RecordType,
  fields: CustomFieldsInput['definitions'],
  providers: Providers,
): CustomField[] {
  refuseMoreThan(MAX_CUSTOM_FIELDS, `custom fields of ${RECORDS[record].nouns}`, fields);
  const names = fields.map(({ name }) => name);
  const mistakes = fields.flatMap((field, index) => {
    const place = `definitions[${index}] ${quote(field.name)}`;
    return describeMistakes(place, [
      ...findNameMistakes(record, field.name),
      names.indexOf(field.name) < index && 'the name is given more than once',
      toType(field.type) === undefined &&
        `the type ${quote(field.type)} is not one of ${CUSTOM_FIELD_TYPES.join(', ')}`,
      (field.description?.length ?? 0) > MAX_FIELD_DESCRIPTION &&
        `the description is longer than ${MAX_FIELD_DESCRIPTION} characters`,
      ...findSourceMistakes(field.sources ?? [], providers),
    ]);
  });
  refuseMistakes(mistakes);
  const checked = fields.map(({ name, type, description, sources, customersMayMap }) => ({
    name,
    type: toType(type) ?? 'TEXT',
    description: description?.trim() || null,
    sources: (sources ?? []).map(({ provider, field }) => ({
      provider: findProviderName(provider) ?? (provider as ProviderName),
      field,
    })),
    customersMayMap: customersMayMap ?? true,
  }));
  const json = JSON.stringify(checked);
  if (!isStorableJson(json))
    refuseMistakes(['A description contains U+0000 or half of a surrogate pair']);
  if (Buffer.byteLength(json) > MAX_BYTES)
    refuseMistakes([`The custom fields have more than ${MAX_BYTES / 1024} KiB`]);
  return checked;
}

function findNameMistakes(record: RecordType, name: string): Mistakes {
  return [
    !isCustomFieldName(name) &&
      'the name must be in camelCase: a lowercase letter, then letters and digits, at most 64 characters',
    isReservedName(record, name) &&
      `the name is reserved, because ${RECORDS[record].nouns} or objects of JavaScript have such a field already`,
  ];
}

function findSourceMistakes(
  sources: NonNullable<CustomFieldInput['sources']>,
  providers: Providers,
): Mistakes {
  const names = sources.map(({ provider }) => findProviderName(provider) ?? provider);
  return sources.slice(0, MAX_SOURCES).flatMap(({ provider, field }, index) => {
    const name = findProviderName(provider);
    return [
      name === undefined && toUnknownProvider(provider),
      names.indexOf(name ?? provider) < index && `the provider ${quote(provider)} is named twice`,
      findSourceMistake(field, name, providers),
    ];
  });
}

/** More sources than providers have a repeated one among the first. */
const MAX_SOURCES = 50;

function toType(name: string): CustomField['type'] | undefined {
  return CUSTOM_FIELD_TYPES.find((type) => type === name || type.toLowerCase() === name);
}

export interface CustomFieldsInput {
  readonly record: RecordType;
  readonly definitions: readonly CustomFieldInput[];
  /** Absent: false. */
  readonly typedSchema?: boolean | null | undefined;
  /** Absent: any version. 0: none were ever set. */
  readonly expectedVersion?: number | null | undefined;
}

/** Unchecked. */
export interface CustomFieldInput {
  readonly name: string;
  readonly type: string;
  readonly description?: string | null | undefined;
  readonly sources?:
    | readonly { readonly provider: string; readonly field: string }[]
    | null
    | undefined;
  readonly customersMayMap?: boolean | null | undefined;
}

export interface CustomFieldDeps extends CallerDeps {
  readonly customFields: CustomFieldStore;
}

export interface DeclareDeps extends CustomFieldDeps {
  readonly providers: Providers;
  /** Clears what this process has cached of the application's custom fields. */
  forgetCustomFields(): void;
}
