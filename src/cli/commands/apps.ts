import { toWebOrigin } from '../../domain/web-origin.ts';
import { changeOrigins, createApplication, listApplications } from '../../usecases/manage-applications.ts';
import {
  APPLICATION,
  type Command,
  type CommandResult,
  toTable,
  UsageError,
  withDatabase,
} from '../command.ts';

const ORIGIN = {
  value: 'URL',
  multiple: true,
  description: 'A web origin whose pages may call, such as https://app.example. Repeatable.',
};

export const appsCreate: Command = {
  name: 'apps create',
  summary: 'Makes an application: the owner of keys, customers and connections.',
  details: ['A name that another application has is refused.'],
  operands: [{ name: 'NAME', description: 'What it is called, also in error messages.' }],
  options: { origin: ORIGIN },
  run: (context, given) => {
    const origins = given.list('origin').map(readOrigin);
    return withDatabase(context, async ({ admin }) => {
      const data = await createApplication(admin, { name: given.operand('NAME'), origins });
      return { data, text: `${data.name} is ${data.id}\nNext: crossbook keys create ${data.id}` };
    });
  },
};

export const appsList: Command = {
  name: 'apps list',
  summary: 'Lists the applications.',
  run: (context) =>
    withDatabase(context, async ({ admin }): Promise<CommandResult> => {
      const data = await listApplications(admin);
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
      const data = await changeOrigins(admin, {
        application: given.operand('APPLICATION'),
        ...{ added, removed },
      });
      return { data, text: data.origins.join('\n') || `No origin may call for ${data.name}.` };
    });
  },
};

export function readOrigin(text: string): string {
  const origin = toWebOrigin(text);
  if (origin !== undefined) return origin;
  throw new UsageError(`Not a web origin: ${text}. It is a scheme and a host, such as https://app.example`);
}
