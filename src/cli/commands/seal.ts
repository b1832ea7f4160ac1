import type { Command } from '../command.ts';
import { withDatabase } from '../with-database.ts';

export const sealRotate: Command = {
  name: 'seal rotate',
  summary: 'Seals all stored credentials with the first key of CROSSBOOK_KEYS.',
  details: [
    'Put the new key in front of the old ones, restart the servers, then run this. It goes on batch by batch while',
    'they serve (on PostgreSQL). When it has ended, the old keys may leave the ring, and the servers restart.',
    'Customer tokens that an old key signed are void from then on.',
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
