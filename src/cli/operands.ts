import type { Operand } from './command.ts';

/** Of several commands. */
export const APPLICATION: Operand = {
  name: 'APPLICATION',
  description: 'Its id, or its name where no other has it.',
};
