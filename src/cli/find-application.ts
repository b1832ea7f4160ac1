import type { Application } from '../domain/caller.ts';
import type { Admin } from '../storage/admin.ts';
import type { Operand } from './command.ts';

export const APPLICATION: Operand = {
  name: 'APPLICATION',
  description: 'Its id, or its name where no other has it.',
};

export async function findApplication(admin: Admin, text: string): Promise<Application> {
  const all = await admin.listApplications();
  const [found, ...others] = all.filter(({ id, name }) => id === text.toLowerCase() || name === text);
  if (!found) throw new Error(`There is no application ${JSON.stringify(text)}. See: crossbook apps list`);
  if (others.length === 0) return found;
  throw new Error(`Several applications are called ${JSON.stringify(text)}: give the id of one.`);
}
