import { isRecord, parseJson } from '../../lib/json.ts';
import { createRegistry } from '../../providers/registry.ts';
import { type OwnFieldInput, storeOwnFields } from '../../usecases/own-fields.ts';
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
      return { data, text: toTable(rows) || 'There are no own fields.' };
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
    async run({ text, readInput, openApplication }) {
      const expectedVersion = readVersion(text('expected-version'));
      const { name, ownFields } = await openApplication();
      const fields = readFields(await readInput());
      const stores = { ownFields, providers: createRegistry() };
      const data = await storeOwnFields(stores, { fields, expectedVersion });
      return {
        data,
        text: `${name} has ${data.fields.length} own fields, version ${data.version}.`,
      };
    },
  },
];

function readVersion(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError('--expected-version takes a whole number');
}

function readFields(text: string): readonly OwnFieldInput[] {
  const json = parseJson(text);
  const fields = isRecord(json) ? json['fields'] : undefined;
  if (!Array.isArray(fields))
    throw new UsageError('Standard input is not JSON with a list of "fields"');
  return fields.map((field, index) => {
    if (isField(field)) return field;
    throw new UsageError(`fields[${index}] is not an own field: see crossbook fields list --json`);
  });
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
