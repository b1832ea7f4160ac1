import { backUp, restore as restoreRows } from '../../storage/backup.ts';
import type { Command } from '../command.ts';

const FILE = { name: 'FILE', description: 'Where the backup is: rows as JSON, packed with gzip.' };
const KEYS = 'The keys are not in it, so that it is of no use to a thief: keep them apart, and keep them.';

export const backup: Command = {
  name: 'backup',
  summary: 'Writes what the database holds into a file. The server may go on.',
  details: [KEYS, 'Answers that are cached are not in it either. A large PostgreSQL has pg_dump.'],
  operands: [FILE],
  run: async ({ readConfig }, given) => {
    const data = await backUp({ ...readConfig().database, join: true }, given.operand('FILE'));
    return { data, text: `${data.file}: ${data.bytes} bytes. ${KEYS}` };
  },
};

export const restore: Command = {
  name: 'restore',
  summary: 'Puts a backup into an empty database, embedded or not. The server must be stopped.',
  details: ['It takes the same keys as then: see crossbook doctor afterwards.'],
  operands: [FILE],
  run: async ({ readConfig }, given) => {
    const data = await restoreRows(given.operand('FILE'), readConfig().database);
    return { data, text: `${data.file} is restored. Next: crossbook doctor` };
  },
};
