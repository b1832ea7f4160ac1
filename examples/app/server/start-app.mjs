import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as vite from 'vite';
import { openBackend } from './backend.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Starts the backend, and Vite in front of it, which serves the page.
 * @param {AppOptions} options
 */
export async function startApp({
  url,
  apiKey,
  port = '5173',
  tokenSeconds = '900',
  sandbox = {},
  isDevelopment = false,
  mayAddFields = false,
}) {
  const origin = `http://localhost:${port}`;
  const backend = await openBackend({
    url,
    apiKey,
    sandbox,
    origin,
    mayAddFields,
    tokenSeconds: Number(tokenSeconds),
  });
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (backend.address());
  const page = await openPage({ port: Number(port), backendPort: address.port, isDevelopment });
  return {
    origin,
    async close() {
      await page.close();
      backend.close();
    },
  };
}

/**
 * Proxies the backend at the page's own origin, as in production.
 * @param {{ port: number, backendPort: number, isDevelopment: boolean }} options
 */
async function openPage({ port, backendPort, isDevelopment }) {
  const proxy = { '/api': `http://127.0.0.1:${backendPort}` };
  const listener = { host: '127.0.0.1', port, strictPort: true, proxy };
  /** @type {import('vite').InlineConfig} */
  const config = {
    root,
    logLevel: 'warn',
    clearScreen: false,
    server: listener,
    preview: listener,
  };
  if (isDevelopment) return (await vite.createServer(config)).listen();
  // Each start has its own folder: a build empties it first, while another start may serve from it.
  const outDir = mkdtempSync(join(tmpdir(), 'crossbook-app-'));
  process.once('exit', () => rmSync(outDir, { recursive: true, force: true }));
  const build = { outDir, emptyOutDir: true };
  await vite.build({ ...config, build });
  return vite.preview({ ...config, build });
}

/**
 * @typedef {object} AppOptions
 * @property {string} url of Crossbook
 * @property {string} apiKey
 * @property {string | undefined} [port] of the page
 * @property {string | undefined} [tokenSeconds] how long a customer token lives
 * @property {Readonly<Record<string, string | undefined>>} [sandbox] the URL of each simulated CRM, if it is simulated
 * @property {boolean} [isDevelopment] serves the sources, and reloads what changes
 * @property {boolean} [mayAddFields] whether custom fields may be added to those that the application has
 */
