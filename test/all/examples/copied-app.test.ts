import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePorts } from '../../support/free-ports.ts';
import { CHROMIUM, EXAMPLE_COPY } from '../../support/machine.ts';
import { isAlive, listDescendants } from '../../support/processes.ts';
import { findSample } from '../../support/run-sample.ts';
import { openPerson } from '../browser/person.ts';
import { openBrowser } from '../support/browser.ts';
import '../../support/process-sources.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

const execute = promisify(execFile);
const README = 'examples/app/README.md';
const APP = 'examples/app';

test('no file of the example app refers to a file outside of it', async () => {
  const files = (await listTracked()).filter((path) =>
    /\.(?:m?js|tsx?|json|md|html|css)$/.test(path),
  );
  expect(files.length).toBeGreaterThan(20);
  const outside = files.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return [...text.matchAll(/(?:['"(]|\]\()((?:\.\.?\/)+[^'")\s]*)/g)]
      .map(([, target = '']) => normalize(join(dirname(path), target)))
      .filter((target) => !target.startsWith(`${APP}/`))
      .map((target) => `${path}: ${target}`);
  });
  expect(outside).toEqual([]);
});

/** Only the commands of its README are run, outside of the repository. */
describe.runIf(EXAMPLE_COPY)('A copy of the example app', () => {
  const root = makeTemporaryFolder();
  const copy = join(root, 'my-app');
  let crossbook: Crossbook;
  let env: Record<string, string>;
  let app: ChildProcess | undefined;
  let url = '';

  beforeAll(async () => {
    // A clone, as far as the commands need it: the app, and what `npm run packages` packs of the client. The client was
    // built before all tests: building it again would remove it while other files read it.
    const clone = join(root, 'crossbook');
    for (const path of await listTracked()) cpSync(path, join(clone, path));
    await execute('npm', ['pack', './dist/client', '--pack-destination', clone]);

    // JavaScript without types, in a variable so that the compiler does not look for them.
    const starter = '../../../examples/start-crossbook.mjs';
    const { startCrossbook } = await import(/* @vite-ignore */ starter);
    crossbook = startCrossbook({ apiPort: '0', sandboxPort: '0' });
    const { url: at, apiKey, sandbox } = await crossbook.ready;
    const port = await findFreePorts();
    url = `http://localhost:${port}`;
    crossbook.command('apps', 'origins', 'Demo application', '--add', url);
    env = {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? root,
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      // A package that does not support this Node fails the installation.
      npm_config_engine_strict: 'true',
      CROSSBOOK_URL: at,
      CROSSBOOK_API_KEY: apiKey,
      APP_PORT: String(port),
      HUBSPOT_SANDBOX_URL: sandbox.HUBSPOT,
    };
  });
  afterAll(async () => {
    if (app) interrupt(app, 'SIGKILL');
    await crossbook.stop();
    rmSync(root, { recursive: true, force: true });
  });

  test('is installed by the printed commands', async () => {
    await execute('sh', ['-e', '-c', findSample(README, 'sh', 'cp -r')], { cwd: root, env });
    const { dependencies } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
    expect(dependencies['crossbook-client']).toMatch(/^file:/);
  });

  test('has its types checked, and generates the same types from a running Crossbook', async () => {
    await execute('npm', ['run', 'types'], { cwd: copy, env });
    const generated = 'src/operations.generated.ts';
    rmSync(join(copy, generated));
    await execute('npm', ['run', 'codegen'], { cwd: copy, env });
    expect(readFileSync(join(copy, generated), 'utf8')).toBe(
      readFileSync(join(APP, generated), 'utf8'),
    );
  });

  test('says what is missing when it is started without a key', async () => {
    const { CROSSBOOK_API_KEY: _, ...others } = env;
    const failed = await execute('npm', ['start'], { cwd: copy, env: others }).catch(
      (error: { readonly stderr: string }) => error,
    );
    expect(failed.stderr).toContain('Set CROSSBOOK_API_KEY');
  });

  test('starts by the printed command after step 3 of the quick start, and gives a signed-in customer a token that Crossbook accepts', async () => {
    // Step 3, which declares custom fields in the same application: the button of the home page.
    const origin = env['CROSSBOOK_URL'] ?? '';
    const step = { method: 'POST', headers: { origin }, redirect: 'manual' } as const;
    expect((await fetch(`${origin}/demo/connect`, step)).status).toBe(303);
    app = start(findSample(README, 'sh', 'npm start').replace(/CROSSBOOK_API_KEY=\S+ /, ''));
    const printed = await readUntilReady(app);
    expect(printed).toContain(`ready at ${url}`);
    expect(await (await fetch(url)).text()).toContain('<title>Fernway');
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ customerId: 'demo' });
    const session = await fetch(`${url}/api/session`, { method: 'POST', headers, body });
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
    const issued = await fetch(`${url}/api/token`, { method: 'POST', headers: { cookie } });
    const { token } = (await issued.json()) as { token: string };
    const found = await fetch(`${env['CROSSBOOK_URL']}/graphql`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}`, origin: url },
      body: JSON.stringify({ query: '{ customer { name } }' }),
    });
    expect(found.headers.get('access-control-allow-origin')).toBe(url);
    expect(await found.json()).toEqual({ data: { customer: { name: 'Demo customer' } } });
  });

  test.runIf(CHROMIUM)(
    'shows the contacts of both CRMs in a browser, one with its custom fields, and the switch of the named sandbox only',
    async () => {
      const browser = await openBrowser();
      const person = await openPerson(browser);
      const page = await person.openTab();
      await page.goto(url);
      await page.getByRole('button', { name: 'Demo customer' }).click();
      for (const name of ['HubSpot', 'Salesforce'])
        await page.getByRole('region', { name }).getByRole('listitem').nth(24).waitFor();
      expect(await page.getByRole('switch').allTextContents()).toEqual(['HubSpot down']);
      await page.getByRole('searchbox').fill('ada@example.com');
      await page.getByRole('button', { name: 'Search' }).click();
      const column = page.getByRole('region', { name: 'HubSpot' });
      await column.getByRole('listitem').getByText('Ada Lovelace').click();
      const dialog = page.getByRole('dialog', { name: 'Ada Lovelace' });
      await dialog.getByRole('definition').getByText('violet', { exact: true }).waitFor();
      await person.leave();
      await browser.close();
    },
  );

  test('ends at Ctrl-C, with all of its processes', async () => {
    const running = app as ChildProcess;
    const started = [running.pid ?? 0, ...listDescendants(running.pid ?? 0)];
    expect(started.length).toBeGreaterThan(1);
    const ended = once(running, 'exit');
    interrupt(running, 'SIGINT');
    await ended;
    app = undefined;
    await expect.poll(() => started.filter(isAlive)).toEqual([]);
  });

  test('ends with all of its processes when npm alone is terminated', async () => {
    const npm = spawn('npm', ['start'], { cwd: copy, env, stdio: ['ignore', 'pipe', 'inherit'] });
    await readUntilReady(npm);
    const started = [npm.pid ?? 0, ...listDescendants(npm.pid ?? 0)];
    npm.kill('SIGTERM');
    await expect.poll(() => started.filter(isAlive)).toEqual([]);
  });

  test('does not start where the application has other custom fields, until it may add its own', async () => {
    const set = (fields: object[]) =>
      ask(
        'mutation ($fields: [CustomFieldDefinitionInput!]!) { setCustomFieldDefinitions(input: { definitions: $fields }) { customFieldDefinitions { version } } }',
        { fields },
      );
    await set([{ name: 'leadSource', type: 'TEXT', sources: [] }]);
    const failed = await execute('npm', ['start', '--silent'], { cwd: copy, env }).catch(
      (error: { readonly stderr: string }) => error,
    );
    const [problem, command = ''] = failed.stderr.trim().split('Add what is missing: ');
    expect([problem, command]).toEqual([
      'The application has custom fields, but not favoriteColor, jobTitle, which the app needs. ',
      'npm start -- --add-fields',
    ]);
    app = start(command);
    await readUntilReady(app);
    expect(await ask('{ customFieldDefinitions { typedSchema definitions { name } } }')).toEqual({
      customFieldDefinitions: {
        typedSchema: true,
        definitions: ['leadSource', 'favoriteColor', 'jobTitle'].map((name) => ({ name })),
      },
    });
    const ended = once(app, 'exit');
    interrupt(app, 'SIGINT');
    await ended;
    app = undefined;
  });

  function start(command: string): ChildProcess {
    return spawn('sh', ['-c', `exec ${command}`], {
      cwd: copy,
      env,
      // A process group of its own, like a shell gives to each job.
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  async function ask(query: string, variables: object = {}): Promise<unknown> {
    const response = await fetch(`${env['CROSSBOOK_URL']}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': env['CROSSBOOK_API_KEY'] ?? '' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
    expect(errors).toBeUndefined();
    return data;
  }
});

async function readUntilReady({ stdout }: ChildProcess): Promise<string> {
  let printed = '';
  for await (const text of stdout ?? []) {
    printed += text;
    if (printed.includes('Ctrl-C')) return printed;
  }
  throw new Error(`It ended:\n${printed}`);
}

/** Sends the signal to the whole process group, as a terminal does. */
function interrupt({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  process.kill(-pid, signal);
}

async function listTracked(): Promise<readonly string[]> {
  const { stdout } = await execute('git', [
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    APP,
  ]);
  return stdout.split('\0').filter(Boolean);
}

/** Of `examples/start-crossbook.mjs`. */
interface Crossbook {
  readonly ready: Promise<{
    readonly url: string;
    readonly apiKey: string;
    readonly sandbox: { readonly HUBSPOT: string };
  }>;
  command(...args: readonly string[]): string;
  stop(): Promise<void>;
}
