import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePorts } from '../support/free-ports.ts';
import { linkPackages } from '../support/link-packages.ts';
import { INSTALLS } from '../support/machine.ts';
import { NPM_CACHE } from '../support/npm-cache.ts';
import { copyTracked, OFFLINE, openProduction, type Production } from '../support/production.ts';
import { createSandboxControl } from '../support/sandbox-control.ts';

const [BUILDER = [], IMAGE = []] = readStages();

/** Executes the steps of the Dockerfile without Docker: each stage is a directory. */
describe('The image', () => {
  let production: Production;
  let context: string;
  let stages: Readonly<Record<string, string>>;
  let image: { readonly cwd: string; readonly env: Record<string, string> };
  let key = '';

  beforeAll(async () => {
    production = await openProduction();
    const at = (name: string) => join(production.root, name);
    context = at('context');
    stages = { build: at('build'), image: at('image') };
    const keys = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
    image = { cwd: at('image'), env: { ...readSettings(), CROSSBOOK_KEYS: keys } };
    await copyTracked(context);
    for (const path of readFileSync('.dockerignore', 'utf8').trim().split('\n')) {
      // An exception of what was left out before.
      if (path.startsWith('!')) cpSync(path.slice(1), join(context, path.slice(1)));
      else rmSync(join(context, path), { recursive: true, force: true });
    }
  });
  afterAll(() => production.close());

  test('contains what its steps copy, and its last stage has no packages', async () => {
    await carryOut(BUILDER, 'build');
    await carryOut(IMAGE, 'image');
    expect(() => readFileSync(join(image.cwd, 'node_modules'))).toThrow('ENOENT');
  });

  test('migrates an empty PostgreSQL, creates the first application and key, and doctor reports no problem', async () => {
    const command = (words: string) => production.run(`${toCommand()} ${words}`, image);
    await command('apps create Acme');
    key = /^cbk_\S+$/m.exec(await command('keys create Acme'))?.[0] ?? '';
    const report = await command('doctor');
    expect([report, key]).toEqual([
      expect.stringMatching(/^ok +configuration +production/m),
      expect.any(String),
    ]);
    expect(report).not.toContain('FAILED');
  });

  test('starts, becomes healthy by its own health check, and responds to a search', async () => {
    const sandboxPort = await findFreePorts();
    const sandbox = { CROSSBOOK_SANDBOX: 'on', CROSSBOOK_SANDBOX_PORT: String(sandboxPort) };
    const url = await production.start(toCommand(), {
      ...image,
      env: { ...image.env, ...sandbox },
    });
    const [, check = ''] = find(IMAGE, 'HEALTHCHECK').split(' CMD ');
    const [program = '', option = '', code = ''] = JSON.parse(check) as string[];
    const port = new URL(url).port;
    await production.run(`${program} ${option} "$CODE"`, {
      cwd: image.cwd,
      env: { CODE: code, PORT: port, NODE_OPTIONS: '' },
    });
    const { accessToken } = await createSandboxControl(sandboxPort).account();
    const hubspot = {
      provider_name: 'hubspot',
      instance_url: `http://127.0.0.1:${sandboxPort}`,
      credentials: { type: 'token', value: accessToken },
    };
    const ask = async (method: string, path: string, body: object) => {
      const headers = {
        'content-type': 'application/json',
        'x-api-key': key,
        'x-customer-id': 'ada',
        'x-provider-name': 'hubspot',
      };
      const response = await fetch(`${url}${path}`, {
        method,
        headers,
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    };
    const customer = {
      customer_id: 'ada',
      name: 'Ada',
      email: 'it@example.com',
      connections: [hubspot],
    };
    expect(await ask('PUT', '/customers', customer)).toMatchObject({ status: 200 });
    const found = await ask('POST', '/contacts/_search', { filter: { email: 'ada@example.com' } });
    expect(found).toMatchObject({ status: 200, body: { records: [{ first_name: 'Ada' }] } });
  });

  async function carryOut(steps: readonly Step[], stage: string): Promise<void> {
    const folder = stages[stage] ?? '';
    mkdirSync(folder, { recursive: true });
    const env = { npm_config_offline: 'true', npm_config_cache: NPM_CACHE, ROOT: production.root };
    for (const { step, words } of steps) {
      if (step === 'COPY') copy(words, folder);
      if (step === 'RUN' && words === 'npm ci' && !INSTALLS) {
        linkPackages(folder);
      } else if (step === 'RUN') await production.run(here(words), { cwd: folder, env });
    }
  }

  function copy(words: string, folder: string): void {
    const flags = words.split(' ').filter((word) => word.startsWith('--'));
    const [target = '', ...sources] = words.split(' ').slice(flags.length).reverse();
    const [, stage] = /--from=(\S+)/.exec(flags.join(' ')) ?? [];
    for (const source of sources) {
      const from = stage
        ? join(stages[stage] ?? '', source.replace('/app/', ''))
        : join(context, source);
      cpSync(from, join(folder, target.endsWith('/') ? join(target, basename(source)) : target), {
        recursive: true,
      });
    }
  }

  function toCommand(): string {
    const [command = ''] = JSON.parse(find(IMAGE, 'CMD')) as string[];
    return command.replace('/app/', './');
  }

  /** The image's environment, except for the listening address and its data. */
  function readSettings(): Record<string, string> {
    const variables = IMAGE.filter(({ step }) => step === 'ENV').flatMap(({ words }) =>
      words.split(' ').map((word) => word.split(/=(.*)/s).slice(0, 2)),
    );
    const settings = Object.fromEntries(variables) as Record<string, string>;
    const own = { HOST: '127.0.0.1', PORT: '0', CROSSBOOK_DATA: join(production.root, 'data') };
    return { ...settings, ...own, NODE_OPTIONS: `${settings['NODE_OPTIONS']} ${OFFLINE}` };
  }
});

/** Replaces the image's directory and user by local ones. */
function here(words: string): string {
  return words.replaceAll('/data', '"$ROOT/data"').replaceAll('node:node', '"$(id -u):$(id -g)"');
}

function find(steps: readonly Step[], wanted: string): string {
  return steps.find(({ step }) => step === wanted)?.words ?? '';
}

function readStages(): Step[][] {
  const [, ...stages] = readFileSync('Dockerfile', 'utf8')
    .replace(/\\\n\s*/g, '')
    .split(/^FROM .*$/m);
  return stages.map((text) =>
    [...text.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, step = '', words = '']) => ({ step, words })),
  );
}

interface Step {
  readonly step: string;
  readonly words: string;
}
