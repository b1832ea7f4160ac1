import { readFileSync, statSync } from 'node:fs';
import { type Branding, MAX_LOGO_BYTES, MAX_LOGO_SIDE } from '../../domain/branding.ts';
import { createAdminKey, DEMO_APPLICATION } from '../../domain/caller.ts';
import { toWebOrigin } from '../../domain/urls.ts';
import { toOwnCommand } from '../../lib/own-command.ts';
import { cleanPng } from '../../lib/png.ts';
import { storeBranding } from '../../usecases/branding.ts';
import {
  changeOrigins,
  createApplication,
  createKey,
  DEFAULT_OVERLAP_HOURS,
  deleteApplication,
  listApplications,
  listKeys,
  renameApplication,
  revokeKey,
  rotateKey,
} from '../../usecases/manage-applications.ts';
import { APPLICATION, type Command, toTable, UsageError } from '../command.ts';

const ORIGIN = {
  value: 'URL',
  multiple: true,
  description: 'A web origin whose pages may call, such as https://app.example. Repeatable.',
};
const KEY_ID = { name: 'KEY_ID', description: 'Public id of the key: see crossbook keys list.' };
const DEMO_KEY =
  'The demo key that the server prints is not listed, because it is derived from the encryption key and not stored.';
const ONCE = 'The key is shown only once: only its hash is stored.';

const BRANDING: readonly string[] = ['display-name', 'accent-color', 'logo'];

const cleanLogo = (png: Buffer) => cleanPng(png, MAX_LOGO_SIDE);

/** Commands for what an application’s customers see of it. */
const brandingCommands: readonly Command[] = [
  {
    name: 'branding show',
    summary: 'Shows the name, color and logo that an application’s customers see.',
    operands: [APPLICATION],
    async run({ openApplication }) {
      const { name, branding } = await openApplication();
      const data = await branding.read();
      return { data, text: describe(name, data) };
    },
  },
  {
    name: 'branding set',
    summary: 'Changes the name, color and logo that an application’s customers see.',
    details: ['What is not given stays as it is. Pages that are opened from then on show it.'],
    operands: [APPLICATION],
    options: {
      'display-name': { value: 'NAME', description: 'Name that customers see.' },
      'accent-color': {
        value: 'COLOR',
        description:
          'Color of buttons, such as #0f766e. White or dark text must be readable on it.',
      },
      logo: {
        value: 'FILE',
        description: `A PNG, at most ${MAX_LOGO_BYTES / 1024} KiB and ${MAX_LOGO_SIDE} × ${MAX_LOGO_SIDE} pixels.`,
      },
      clear: {
        value: 'WHAT',
        multiple: true,
        description: 'What to remove: display-name, accent-color or logo. Repeatable.',
      },
    },
    async run({ text, list, openApplication }) {
      const cleared = list('clear');
      const unknown = cleared.find((name) => !BRANDING.includes(name));
      if (unknown !== undefined)
        throw new UsageError(`--clear takes one of ${BRANDING.join(', ')}`);
      const given = (option: string) => (cleared.includes(option) ? null : text(option));
      const { name, branding } = await openApplication();
      const logo = given('logo');
      const change = {
        displayName: given('display-name'),
        accentColor: given('accent-color'),
        logo: logo ? readLogo(logo) : logo,
      };
      const data = await storeBranding({ branding, cleanLogo }, change);
      return { data, text: describe(name, data) };
    },
  },
];

/** Commands for applications, what their customers see of them, and their API keys. */
export const applicationCommands: readonly Command[] = [
  ...brandingCommands,
  {
    name: 'apps create',
    summary: 'Creates an application, which owns keys, customers and connections.',
    details: ['A name that another application has is refused.'],
    operands: [{ name: 'NAME', description: 'Name of the application, also shown in errors.' }],
    options: { origin: ORIGIN },
    async run({ operand, list, openDatabase }) {
      const origins = list('origin').map(readOrigin);
      const { admin } = await openDatabase();
      const data = await createApplication(admin, { name: operand('NAME'), origins });
      return {
        data,
        text: `${data.name} is ${data.id}\nNext: ${toOwnCommand(`keys create ${data.id}`)}`,
      };
    },
  },
  {
    name: 'apps list',
    summary: 'Lists the applications.',
    async run({ openDatabase }) {
      const data = await listApplications((await openDatabase()).admin);
      const rows = data.map(({ id, name, origins, deletedAt }) => [
        id,
        name,
        deletedAt === undefined ? origins.join(' ') : `is being deleted since ${deletedAt}`,
      ]);
      return { data, text: toTable(rows) || 'There are no applications.' };
    },
  },
  {
    name: 'apps rename',
    summary: 'Renames an application. Its id, keys and data stay the same.',
    details: [
      'Errors and logs have the new name within five seconds. A name that another application has is refused.',
    ],
    operands: [APPLICATION, { name: 'NAME', description: 'The new name.' }],
    async run({ operand, openDatabase }) {
      const { admin } = await openDatabase();
      const given = { application: operand('APPLICATION'), name: operand('NAME') };
      const data = await renameApplication(admin, given);
      return { data, text: `${data.id} is now called ${data.name}.` };
    },
  },
  {
    name: 'apps delete',
    summary: 'Deletes an application with all of its data.',
    details: [
      'Without --confirm it prints what would be deleted. Keys and tokens are refused within five seconds. A running server, or the next one',
      'that starts, deletes the data in the background and revokes grants at the providers; until then apps list shows the application.',
    ],
    operands: [APPLICATION],
    options: {
      confirm: {
        value: 'NAME',
        description: 'Required confirmation: the name of the application.',
      },
    },
    async run({ operand, text, openDatabase }) {
      const { admin } = await openDatabase();
      const given = { application: operand('APPLICATION'), confirm: text('confirm') };
      const data = await deleteApplication(admin, given);
      return {
        data,
        text: `${data.name} is deleted: its keys are refused within five seconds, and the servers delete its data in the background.`,
      };
    },
  },
  {
    name: 'apps origins',
    summary: 'Shows or changes the web origins that may call for an application (CORS).',
    details: ['Without options nothing is changed. Running servers follow within seconds.'],
    operands: [APPLICATION],
    options: {
      add: ORIGIN,
      remove: { ...ORIGIN, description: 'An origin that may no longer call. Repeatable.' },
    },
    async run({ operand, list, openDatabase }) {
      const [added, removed] = [list('add').map(readOrigin), list('remove').map(readOrigin)];
      const { admin } = await openDatabase();
      const data = await changeOrigins(admin, {
        application: operand('APPLICATION'),
        added,
        removed,
      });
      return { data, text: data.origins.join('\n') || `No origin may call for ${data.name}.` };
    },
  },
  {
    name: 'keys create',
    summary: 'Creates an API key for an application.',
    details: [
      ONCE,
      'A name that another active key of the application has is refused: see keys rotate.',
    ],
    operands: [APPLICATION],
    options: { name: { value: 'NAME', description: 'Name of the key. Default: default' } },
    async run({ operand, text, note, openDatabase }) {
      const { admin } = await openDatabase();
      const { id, key, application } = await createKey(admin, {
        application: operand('APPLICATION'),
        name: text('name'),
      });
      note(`A key for ${application.name}. ${ONCE}`);
      return { data: { id, key, applicationId: application.id }, text: key };
    },
  },
  {
    name: 'keys list',
    summary: 'Lists the keys of an application, never their secrets.',
    operands: [APPLICATION],
    async run({ operand, now, openDatabase }) {
      const { admin } = await openDatabase();
      const data = await listKeys(admin, { application: operand('APPLICATION'), now: now() });
      const rows = data.map((key) => [
        key.id,
        key.name,
        key.state,
        key.createdAt,
        key.revokedAt ?? '',
      ]);
      const text = toTable(rows) || 'There are no keys.';
      const isDemo = operand('APPLICATION') === DEMO_APPLICATION.name;
      return { data, text: isDemo ? `${text}\n${DEMO_KEY}` : text };
    },
  },
  {
    name: 'keys rotate',
    summary: 'Creates a key that replaces another, which stays valid for a while.',
    details: [ONCE],
    operands: [KEY_ID],
    options: {
      overlap: {
        value: 'HOURS',
        description: `Hours until the old key ends. 0: it ends now. Default: ${DEFAULT_OVERLAP_HOURS}`,
      },
    },
    async run({ operand, number, note, openDatabase }) {
      const overlapHours = number('overlap');
      const { admin } = await openDatabase();
      const data = await rotateKey(admin, { id: operand('KEY_ID'), overlapHours });
      note(`${data.replaces} ends at ${data.oldEndsAt}. ${ONCE}`);
      return { data, text: data.key };
    },
  },
  {
    name: 'keys revoke',
    summary: 'Revokes a key. Running servers follow within five seconds.',
    operands: [KEY_ID],
    async run({ operand, openDatabase }) {
      const id = operand('KEY_ID');
      await revokeKey((await openDatabase()).admin, id);
      return { data: { id, revoked: true }, text: `${id} is revoked.` };
    },
  },
  {
    name: 'keys admin',
    summary: 'Creates an admin key, with which applications and keys are managed over HTTP.',
    details: [
      'It is not stored: set its hash as CROSSBOOK_ADMIN_KEY_HASH and restart the servers.',
    ],
    async run({ note }) {
      const data = createAdminKey();
      note(`CROSSBOOK_ADMIN_KEY_HASH=${data.hash}`);
      return { data, text: data.key };
    },
  },
];

export function readOrigin(text: string): string {
  const origin = toWebOrigin(text);
  if (origin !== undefined) return origin;
  throw new UsageError(
    `Not a web origin: ${text}. It is a scheme and a host, such as https://app.example`,
  );
}

/** A file that is too large is not read. */
function readLogo(file: string): string {
  if (statSync(file).size > MAX_LOGO_BYTES)
    throw new UsageError(`${file} has more than ${MAX_LOGO_BYTES / 1024} KiB`);
  return readFileSync(file).toString('base64');
}

function describe(application: string, { displayName, accentColor, logo }: Branding): string {
  return toTable([
    ['Name', displayName ?? `${application} (the name of the application)`],
    ['Color', accentColor ?? 'Crossbook’s'],
    ['Logo', logo === null ? 'none' : `${Buffer.from(logo, 'base64').length} bytes`],
  ]);
}
