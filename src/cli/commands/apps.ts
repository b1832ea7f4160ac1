import type { Command, Outcome } from '../command.ts';
import { APPLICATION, findApplication } from '../find-application.ts';
import { readOrigin } from '../read-origin.ts';
import { toTable } from '../table.ts';
import { withDatabase } from '../with-database.ts';

const ORIGIN = {
  value: 'URL',
  multiple: true,
  description: 'A web origin whose pages may call, such as https://app.example. Repeatable.',
};

export const appsCreate: Command = {
  name: 'apps create',
  summary: 'Makes an application: the owner of keys, customers and connections.',
  operands: [{ name: 'NAME', description: 'What it is called, also in error messages.' }],
  options: { origin: ORIGIN },
  run: (context, given) => {
    const origins = given.list('origin').map(readOrigin);
    return withDatabase(context, async ({ admin }) => {
      const { id, name } = await admin.createApplication(given.operand('NAME'));
      if (origins.length > 0) await admin.setOrigins(id, origins);
      return { data: { id, name, origins }, text: `${name} is ${id}\nNext: crossbook keys create ${id}` };
    });
  },
};

export const appsList: Command = {
  name: 'apps list',
  summary: 'Lists the applications.',
  run: (context) =>
    withDatabase(context, async ({ admin }): Promise<Outcome> => {
      const allowed = new Map(
        (await admin.listOrigins()).map(({ applicationId, origins }) => [applicationId, origins]),
      );
      const data = (await admin.listApplications()).map(({ id, name }) => ({
        id,
        name,
        origins: allowed.get(id) ?? [],
      }));
      const rows = data.map(({ id, name, origins }) => [id, name, origins.join(' ')]);
      return { data, text: rows.length > 0 ? toTable(rows) : 'There are no applications.' };
    }),
};

export const appsOrigins: Command = {
  name: 'apps origins',
  summary: 'Says which web origins may call for an application, and changes them.',
  details: ['Without options nothing is changed. Running servers follow within seconds.'],
  operands: [APPLICATION],
  options: {
    add: ORIGIN,
    remove: { ...ORIGIN, description: 'An origin that may no longer call. Repeatable.' },
  },
  run: (context, given) => {
    const [added, removed] = [given.list('add').map(readOrigin), given.list('remove').map(readOrigin)];
    return withDatabase(context, async ({ admin }) => {
      const { id, name } = await findApplication(admin, given.operand('APPLICATION'));
      const stored =
        (await admin.listOrigins()).find(({ applicationId }) => applicationId === id)?.origins ?? [];
      const origins = [...new Set([...stored, ...added])].filter((origin) => !removed.includes(origin));
      if (added.length + removed.length > 0) await admin.setOrigins(id, origins);
      return { data: { id, name, origins }, text: origins.join('\n') || `No origin may call for ${name}.` };
    });
  },
};
