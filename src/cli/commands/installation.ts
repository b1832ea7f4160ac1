import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { toOwnCommand } from '../../lib/own-command.ts';
import { backUp, restore } from '../../storage/backup.ts';
import { migrateDatabase } from '../../storage/database.ts';
import { describeMigration } from '../../storage/engine/open.ts';
import { type Command, type Invocation, UsageError } from '../command.ts';

const FILE = {
  name: 'FILE',
  description: 'Path of the backup: rows as JSON, compressed with gzip.',
};
const KEYS =
  'It does not contain the encryption keys, without which it cannot be read: keep them separately.';

/** Commands for the installation: keys, data, schema. */
export const installationCommands: readonly Command[] = [
  {
    name: 'migrate',
    summary: 'Applies pending migrations to the database. The servers may run.',
    details: [
      'Each start does the same. Run it before an upgrade of a large database, so that the new servers start at once.',
    ],
    async run({ readConfig, note }) {
      const target = { ...readConfig().database, join: true };
      const applied = await migrateDatabase(target, describeMigration(note));
      const text =
        applied.length > 0
          ? `Applied: ${applied.join(', ')}`
          : 'All migrations were applied already.';
      return { data: { applied }, text };
    },
  },
  {
    name: 'seal rotate',
    summary: 'Re-encrypts all stored secrets with the first key of CROSSBOOK_KEYS.',
    details: [
      'Before: append the new key to CROSSBOOK_KEYS, restart all servers, put it first, restart them again. The servers may run',
      'meanwhile (on PostgreSQL). Afterwards remove the old key and restart. Customer tokens that it signed are then invalid.',
    ],
    async run({ openDatabase }) {
      const { resealed, unreadable } = await (await openDatabase()).maintenance.rotateSeals();
      const left =
        unreadable > 0
          ? ` ${unreadable} cannot be decrypted with any key of the ring, and are unchanged.`
          : '';
      return {
        data: { resealed, unreadable },
        text: `${resealed} re-encrypted.${left}`,
        failed: unreadable > 0,
      };
    },
  },
  {
    name: 'backup',
    summary: 'Writes the data of the database to a file. The server may run.',
    details: [KEYS, 'The contact cache is not in it either. For a large PostgreSQL use pg_dump.'],
    operands: [FILE],
    async run({ readConfig, operand }) {
      // A draft is written beside the file first: an error of the folder would name the draft.
      accessSync(dirname(operand('FILE')), constants.W_OK);
      const data = await backUp({ ...readConfig().database, join: true }, operand('FILE'));
      return { data, text: `${data.file}: ${data.bytes} bytes. ${KEYS}` };
    },
  },
  {
    name: 'restore',
    summary:
      'Restores a backup into an empty database, embedded or not. The server must be stopped.',
    details: ['It needs the same encryption keys: run crossbook doctor afterwards.'],
    operands: [FILE],
    async run({ readConfig, operand }) {
      const data = await restore(operand('FILE'), readConfig().database);
      return { data, text: `${data.file} is restored. Next: ${toOwnCommand('doctor')}` };
    },
  },
  {
    name: 'schema print',
    summary: 'Prints the GraphQL schema.',
    options: {
      application: {
        value: 'APPLICATION',
        description:
          'The schema of an application with typed custom fields: its id, or its name if it is unique.',
      },
      subgraph: {
        description:
          'The subgraph for gateways: with keys and costs, without @oneOf, node and nodes.',
      },
      'relay-node': {
        description: 'With --subgraph: with node and nodes, for the one subgraph that has them.',
      },
    },
    details: [
      'With CROSSBOOK_GRAPHQL_TYPE_PREFIX and CROSSBOOK_GRAPHQL_ROOT_FIELD_PREFIX it has the names that the server uses.',
    ],
    async run(invocation) {
      const { flag } = invocation;
      // Loaded lazily, because only this command needs it.
      const { printApiSchema, printSubgraphSchema } = await import('../../graphql/print-schema.ts');
      if (flag('relay-node') && !flag('subgraph'))
        throw new UsageError(
          '--relay-node needs --subgraph: without it, node and nodes are always printed.',
        );
      const { typePrefix, rootFieldPrefix } = invocation.readConfig();
      const customFields = await readTypedFields(invocation);
      const names = { typePrefix, rootFieldPrefix, customFields };
      const sdl = flag('subgraph')
        ? printSubgraphSchema({ relayNode: flag('relay-node'), ...names })
        : printApiSchema(names);
      return { data: { sdl }, text: sdl.trimEnd() };
    },
  },
];

/** Undefined if the schema of the application is the common one. */
async function readTypedFields({ text, readConfig, openApplication, note }: Invocation) {
  const application = text('application');
  if (application === undefined) return undefined;
  const { name, customFields } = await openApplication(application);
  const declared = await customFields.read();
  const { hasTypedFields, toTypedFields } = await import('../../graphql/typed-fields.ts');
  const typed = toTypedFields(declared);
  const isOff = !readConfig().typedFields;
  if (hasTypedFields(typed) && !isOff) return typed;
  const reason = isOff
    ? 'CROSSBOOK_TYPED_FIELDS is off'
    : Object.values(declared).some(({ typedSchema }) => typedSchema)
      ? 'it has no custom fields'
      : 'its custom fields were not set with "typedSchema": true';
  note(`${name} has the common schema: ${reason}.`);
  return undefined;
}
