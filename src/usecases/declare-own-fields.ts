import { CrossbookError, type Mistakes, refuseMistakes } from '../domain/errors.ts';
import { isExpectedVersion } from '../domain/expected-version.ts';
import { OWN_FIELD_TYPES } from '../domain/own-field.ts';
import {
  isOwnFieldName,
  MAX_FIELD_DESCRIPTION,
  MAX_OWN_FIELDS,
  type OwnField,
  type OwnFieldStore,
  type OwnFields,
  RESERVED_NAMES,
} from '../domain/own-fields.ts';
import type { Providers } from '../domain/provider.ts';
import { isProviderName, type ProviderName } from '../domain/provider-names.ts';
import { isStorableJson, quote } from '../lib/text.ts';
import { type CallerDeps, withApiKey } from './authorization.ts';
import { describeMistakes, findSourceMistake, refuseMoreThan } from './own-field-mistakes.ts';

/** Reads the application's own fields. */
export function readOwnFields(deps: OwnFieldDeps) {
  return withApiKey(deps, 'readOwnFields', () => deps.ownFields.read());
}

/** Replaces the application's own fields. Other processes follow within five seconds. */
export function setOwnFields(deps: DeclareDeps, given: OwnFieldsInput) {
  return withApiKey(deps, 'setOwnFields', async () => {
    const stored = await storeOwnFields(deps, given);
    deps.forgetOwnFields();
    return stored;
  });
}

/** The same for a command, which has no caller. */
export function storeOwnFields(
  { ownFields, providers }: Pick<DeclareDeps, 'ownFields' | 'providers'>,
  { fields, typedSchema, expectedVersion }: OwnFieldsInput,
): Promise<OwnFields> {
  const declared = {
    fields: checkOwnFields(fields, providers),
    typedSchema: typedSchema ?? false,
  };
  const version = expectedVersion ?? undefined;
  if (isExpectedVersion(version)) return ownFields.replace(declared, version);
  throw new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    'The expected version must be a whole number from 0.',
  );
}

const MAX_BYTES = 256 * 1024;

/** Reports the first mistakes at once, each with the field's place and name. */
function checkOwnFields(fields: OwnFieldsInput['fields'], providers: Providers): OwnField[] {
  refuseMoreThan(MAX_OWN_FIELDS, 'own fields', fields);
  const names = fields.map(({ name }) => name);
  const mistakes = fields.flatMap((field, index) => {
    const place = `fields[${index}] ${quote(field.name)}`;
    return describeMistakes(place, [
      ...findNameMistakes(field.name, names.indexOf(field.name) < index),
      toType(field.type) === undefined &&
        `the type ${quote(field.type)} is not one of ${OWN_FIELD_TYPES.join(', ')}`,
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
    sources: (sources ?? []).map(({ providerName, field }) => ({
      providerName: providerName as ProviderName,
      field,
    })),
    customersMayMap: customersMayMap ?? true,
  }));
  const json = JSON.stringify(checked);
  if (!isStorableJson(json))
    refuseMistakes(['A description contains U+0000 or half of a surrogate pair']);
  if (Buffer.byteLength(json) > MAX_BYTES)
    refuseMistakes([`The own fields have more than ${MAX_BYTES / 1024} KiB`]);
  return checked;
}

function findNameMistakes(name: string, isRepeated: boolean): Mistakes {
  return [
    !isOwnFieldName(name) &&
      'the name must be in camelCase: a lowercase letter, then letters and digits, at most 64 characters',
    RESERVED_NAMES.has(name) &&
      'the name is reserved, because contacts or objects of JavaScript have such a field already',
    isRepeated && 'the name is given more than once',
  ];
}

function findSourceMistakes(
  sources: NonNullable<OwnFieldInput['sources']>,
  providers: Providers,
): Mistakes {
  const names = sources.map(({ providerName }) => providerName);
  return sources
    .slice(0, MAX_SOURCES)
    .flatMap(({ providerName, field }, index) => [
      !isProviderName(providerName) && `${quote(providerName)} is not a provider`,
      names.indexOf(providerName) < index && `the provider ${quote(providerName)} is named twice`,
      findSourceMistake(field, isProviderName(providerName) ? providerName : undefined, providers),
    ]);
}

/** More sources than providers have a repeated one among the first. */
const MAX_SOURCES = 50;

function toType(given: string): OwnField['type'] | undefined {
  return OWN_FIELD_TYPES.find((type) => type === given || type.toLowerCase() === given);
}

export interface OwnFieldsInput {
  readonly fields: readonly OwnFieldInput[];
  /** Absent: false. */
  readonly typedSchema?: boolean | null | undefined;
  /** Absent: any version. 0: none were ever set. */
  readonly expectedVersion?: number | null | undefined;
}

/** Unchecked. */
export interface OwnFieldInput {
  readonly name: string;
  readonly type: string;
  readonly description?: string | null | undefined;
  readonly sources?:
    | readonly { readonly providerName: string; readonly field: string }[]
    | null
    | undefined;
  readonly customersMayMap?: boolean | null | undefined;
}

export interface OwnFieldDeps extends CallerDeps {
  readonly ownFields: OwnFieldStore;
}

export interface DeclareDeps extends OwnFieldDeps {
  readonly providers: Providers;
  /** Clears what this process has cached of the application's own fields. */
  forgetOwnFields(): void;
}
