import { backUp, restore as restoreRows } from '../../storage/backup.ts';
import { type Command, withDatabase } from '../command.ts';

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

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Puts a backup into an empty database, embedded or not. The server must be stopped.',
  details: ['It takes the same keys as then: see crossbook doctor afterwards.'],
  operands: [FILE],
  run: async ({ readConfig }, given) => {
    const data = await restoreRows(given.operand('FILE'), readConfig().database);
    return { data, text: `${data.file} is restored. Next: crossbook doctor` };
  },
};

export const sealRotate: Command = {
  name: 'seal rotate',
  summary: 'Seals all stored credentials with the first key of CROSSBOOK_KEYS.',
  details: [
    'Before: append the new key to CROSSBOOK_KEYS, restart all servers, put it first, restart them again. The servers may run',
    'meanwhile (on PostgreSQL). Afterwards take the old key out and restart. Customer tokens that it signed are void from then on.',
  ],
  run: (context) =>
    withDatabase(context, async ({ maintenance }) => {
      const { resealed, unreadable } = await maintenance.rotateSeals();
      const left =
        unreadable > 0 ? ` ${unreadable} cannot be opened by any key of the ring, and stay as they are.` : '';
      return {
        data: { resealed, unreadable },
        text: `${resealed} sealed anew.${left}`,
        failed: unreadable > 0,
      };
    }),
};
