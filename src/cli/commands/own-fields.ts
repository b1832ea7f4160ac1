import { isRecord, parseJson } from '../../lib/json.ts';
import { createRegistry } from '../../providers/registry.ts';
import {
  type OwnFieldInput,
  type OwnFieldsInput,
  storeOwnFields,
} from '../../usecases/declare-own-fields.ts';
import { APPLICATION, type Command, toTable, UsageError } from '../command.ts';

/** Commands for the own fields of an application. */
export const ownFieldCommands: readonly Command[] = [
  {
    name: 'fields list',
    summary: 'Lists the own fields of an application.',
    operands: [APPLICATION],
    async run({ openApplication }) {
      const data = await (await openApplication()).ownFields.read();
      const rows = data.fields.map(({ name, type, sources }) => [
        name,
        type,
        sources.map(({ providerName, field }) => `${providerName}:${field}`).join(' '),
      ]);
      const text = toTable(rows) || 'There are no own fields.';
      return { data, text: data.typedSchema ? `${text}\nThe schema is typed.` : text };
    },
  },
  {
    name: 'fields set',
    summary: 'Replaces the own fields of an application.',
    details: [
      'They are read from standard input, as JSON in the form that `fields list --json` prints: … < fields.json',
      'Running servers follow within five seconds.',
    ],
    operands: [APPLICATION],
    options: {
      'expected-version': {
        value: 'NUMBER',
        description: 'Fails if the stored version differs. 0: no fields were ever set.',
      },
    },
    async run({ number, readInput, openApplication }) {
      const expectedVersion = number('expected-version');
      const { name, ownFields } = await openApplication();
      const declared = readDeclaration(await readInput());
      const stores = { ownFields, providers: createRegistry() };
      const data = await storeOwnFields(stores, { ...declared, expectedVersion });
      return {
        data,
        text: `${name} has ${data.fields.length} own fields, version ${data.version}.`,
      };
    },
  },
];

function readDeclaration(text: string): Omit<OwnFieldsInput, 'expectedVersion'> {
  const json = parseJson(text);
  const { fields, typedSchema } = isRecord(json) ? json : {};
  if (!Array.isArray(fields))
    throw new UsageError('Standard input is not JSON with a list of "fields"');
  if (typedSchema !== undefined && typeof typedSchema !== 'boolean')
    throw new UsageError('"typedSchema" must be true or false');
  return { fields: fields.map(readField), typedSchema };
}

function readField(field: unknown, index: number): OwnFieldInput {
  if (isField(field)) return field;
  throw new UsageError(`fields[${index}] is not an own field: see crossbook fields list --json`);
}

/** Whether its members have the right types; the use case checks their values. */
function isField(given: unknown): given is OwnFieldInput {
  if (!isRecord(given)) return false;
  const { name, type, description, sources, customersMayMap, ...others } = given;
  return (
    typeof name === 'string' &&
    typeof type === 'string' &&
    typeof (description ?? '') === 'string' &&
    typeof (customersMayMap ?? true) === 'boolean' &&
    (sources === undefined || (Array.isArray(sources) && sources.every(isSourceGiven))) &&
    Object.keys(others).length === 0
  );
}

function isSourceGiven(given: unknown): boolean {
  return (
    isRecord(given) &&
    typeof given['providerName'] === 'string' &&
    typeof given['field'] === 'string'
  );
}
