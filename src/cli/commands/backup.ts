import { backUpDirectory, restoreDirectory } from '../../storage/engine/backup.ts';
import type { Command, CommandContext } from '../command.ts';

const FILE = { name: 'FILE', description: 'Where the backup is: a gzipped tar file.' };
const KEYS = 'The keys are not in it, so that it is of no use to a thief: keep them apart, and keep them.';

export const backup: Command = {
  name: 'backup',
  summary: 'Writes the embedded database into a file. The server must be stopped.',
  details: [KEYS, 'On PostgreSQL, use pg_dump.'],
  operands: [FILE],
  run: async (context, given) => {
    const data = await backUpDirectory(requireDirectory(context, 'pg_dump'), given.operand('FILE'));
    return { data, text: `${data.file}: ${data.bytes} bytes. ${KEYS}` };
  },
};

export const restore: Command = {
  name: 'restore',
  summary: 'Puts a backup in the place of the embedded database, where there is none yet.',
  details: [
    'It takes the same keys as then: see crossbook doctor afterwards. On PostgreSQL, use pg_restore.',
  ],
  operands: [FILE],
  run: async (context, given) => {
    const directory = requireDirectory(context, 'pg_restore');
    const data = await restoreDirectory(given.operand('FILE'), directory);
    return { data, text: `${data.file} is restored to ${directory}. Next: crossbook doctor` };
  },
};

function requireDirectory({ readConfig }: CommandContext, instead: string): string {
  const { database } = readConfig();
  if ('directory' in database) return database.directory;
  throw new Error(`This is for the embedded database. On PostgreSQL, use ${instead}.`);
}
