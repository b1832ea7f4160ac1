import { EXAMPLE_PROVIDERS } from '../../domain/provider-names.ts';
import { RECORDS } from '../../domain/records/catalogue.ts';
import { RECORD_TYPES, type RecordType } from '../../domain/records/record-type.ts';
import { isRecord, parseJson } from '../../lib/json.ts';
import { quote } from '../../lib/text.ts';
import { createRegistry } from '../../providers/registry.ts';
import {
  type CustomFieldInput,
  type CustomFieldsInput,
  storeCustomFields,
} from '../../usecases/declare-custom-fields.ts';
import { APPLICATION, type Command, toTable, UsageError } from '../command.ts';

const RECORD = {
  record: {
    value: 'RECORD',
    description: `The type of the records: ${RECORD_TYPES.map((one) => one.toLowerCase()).join(', ')}. Default: contact.`,
  },
};

/** What `custom-fields list --json` prints is no sample before there are custom fields. */
const SAMPLE = `{"definitions":[{"name":"jobTitle","type":"TEXT","sources":[{"provider":"${EXAMPLE_PROVIDERS.first}","field":"jobtitle"}]}]}`;

/** Commands for the custom fields of an application. */
export const customFieldCommands: readonly Command[] = [
  {
    name: 'custom-fields list',
    summary: 'Lists the custom fields of an application, of one type of record.',
    operands: [APPLICATION],
    options: RECORD,
    async run({ text: option, openApplication }) {
      const record = readRecord(option('record'));
      const data = (await (await openApplication()).customFields.read())[record];
      const rows = data.definitions.map(({ name, type, sources }) => [
        name,
        type,
        sources.map(({ provider, field }) => `${provider}:${field}`).join(' '),
      ]);
      const text = toTable(rows) || 'There are no custom fields.';
      return { data, text: data.typedSchema ? `${text}\nThe schema is typed.` : text };
    },
  },
  {
    name: 'custom-fields set',
    summary: 'Replaces the custom fields of an application, of one type of record.',
    details: [
      'They are read from standard input, as JSON in the form that `custom-fields list --json` prints: … < definitions.json',
      `For example: ${SAMPLE}`,
      'Running servers follow within five seconds.',
    ],
    operands: [APPLICATION],
    options: {
      ...RECORD,
      'expected-version': {
        value: 'NUMBER',
        description: 'Fails if the stored version differs. 0: no fields were ever set.',
      },
    },
    async run({ text, number, readInput, openApplication }) {
      const record = readRecord(text('record'));
      const expectedVersion = number('expected-version');
      const { name, customFields } = await openApplication();
      const declared = readDeclaration(await readInput());
      const stores = { customFields, providers: createRegistry() };
      const data = await storeCustomFields(stores, { record, ...declared, expectedVersion });
      return {
        data,
        text: `${name} has ${data.definitions.length} custom fields of ${RECORDS[record].nouns}, version ${data.version}.`,
      };
    },
  },
];

function readRecord(value = 'contact'): RecordType {
  const record = RECORD_TYPES.find((one) => one.toLowerCase() === value.toLowerCase());
  if (record) return record;
  throw new UsageError(
    `--record takes ${RECORD_TYPES.map((one) => one.toLowerCase()).join(', ')}, and not ${quote(value)}`,
  );
}

function readDeclaration(text: string): Omit<CustomFieldsInput, 'record' | 'expectedVersion'> {
  const json = parseJson(text);
  const { definitions, typedSchema } = isRecord(json) ? json : {};
  if (!Array.isArray(definitions))
    throw new UsageError(
      `Standard input is not JSON with a list of "definitions", such as ${SAMPLE}`,
    );
  if (typedSchema !== undefined && typeof typedSchema !== 'boolean')
    throw new UsageError('"typedSchema" must be true or false');
  return { definitions: definitions.map(readField), typedSchema };
}

function readField(field: unknown, index: number): CustomFieldInput {
  if (isField(field)) return field;
  throw new UsageError(`definitions[${index}] is not a custom field, such as the one of ${SAMPLE}`);
}

/** Whether its members have the right types; the use case checks their values. */
function isField(value: unknown): value is CustomFieldInput {
  if (!isRecord(value)) return false;
  const { name, type, description, sources, customersMayMap, ...others } = value;
  return (
    typeof name === 'string' &&
    typeof type === 'string' &&
    typeof (description ?? '') === 'string' &&
    typeof (customersMayMap ?? true) === 'boolean' &&
    (sources === undefined || (Array.isArray(sources) && sources.every(isSourceGiven))) &&
    Object.keys(others).length === 0
  );
}

function isSourceGiven(value: unknown): boolean {
  return (
    isRecord(value) && typeof value['provider'] === 'string' && typeof value['field'] === 'string'
  );
}
