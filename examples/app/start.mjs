import { startApp } from './server/start-app.mjs';

// At the start: an npm that is terminated meanwhile is no longer the parent.
const npm = process.ppid;

/** Starts the app in front of a running Crossbook. Settings come from the environment, or from a file `.env` here. */
try {
  process.loadEnvFile(new URL('.env', import.meta.url));
} catch {
  // The file is optional.
}
const { CROSSBOOK_URL = 'http://localhost:4000', CROSSBOOK_API_KEY, TOKEN_SECONDS } = process.env;
const { APP_PORT, HUBSPOT_SANDBOX_URL, SALESFORCE_SANDBOX_URL } = process.env;

if (!CROSSBOOK_API_KEY) {
  process.stderr.write(
    'Set CROSSBOOK_API_KEY: `npm start` of Crossbook prints one, and `npm run -s crossbook -- keys create APP` makes one.\n',
  );
  process.exit(1);
}
/** @type {Awaited<ReturnType<typeof startApp>>} */
let app;
try {
  app = await startApp({
    url: CROSSBOOK_URL,
    apiKey: CROSSBOOK_API_KEY,
    port: APP_PORT,
    tokenSeconds: TOKEN_SECONDS,
    sandbox: { HUBSPOT: HUBSPOT_SANDBOX_URL, SALESFORCE: SALESFORCE_SANDBOX_URL },
    isDevelopment: process.argv.includes('--dev'),
    mayAddFields: process.argv.includes('--add-fields'),
  });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
const end = () => app.close().then(() => process.exit(0));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end);
// An npm that is terminated forwards no signal.
if (process.env.npm_lifecycle_event)
  setInterval(() => process.ppid !== npm && end(), 1_000).unref();
if (!(await isAllowed(app.origin)))
  process.stderr.write(
    `\n  Crossbook does not allow pages of ${app.origin}, so that searches will fail. In the clone of Crossbook:\n\n` +
      `npm run -s crossbook -- apps origins APPLICATION --add ${app.origin}\n\n` +
      '  APPLICATION is the name of your application, "Demo application" in the demo.\n',
  );
process.stdout.write(
  `\n  The app is ready at ${app.origin}\n  Crossbook        at ${CROSSBOOK_URL}\n\n  Ctrl-C ends it.\n`,
);

/**
 * Whether a browser may call Crossbook from pages of an origin: asked as a browser asks.
 * @param {string} origin
 */
async function isAllowed(origin) {
  const { ok } = await fetch(`${CROSSBOOK_URL}/graphql`, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  return ok;
}
