import { createServer } from 'node:http';
import { CrossbookError, createClient } from 'crossbook-client';
import { requireCustomFields } from './custom-fields.mjs';
import { answerJson, HttpError, readJson } from './json.mjs';
import { createSandboxSwitch } from './sandbox-switch.mjs';
import { createSessions } from './sessions.mjs';

/** The users who can sign in. In your product they come from your database, and have passwords. */
const CUSTOMERS = [
  { customerId: 'acme', name: 'Acme Ltd.' },
  { customerId: 'demo', name: 'Demo customer' },
];

const BRANDING = { displayName: 'Fernway', accentColor: '#1e6b4f' };

const CRMS = [
  { provider: 'HUBSPOT', title: 'HubSpot' },
  { provider: 'SALESFORCE', title: 'Salesforce' },
];

/**
 * The only code with the API key. The browser gets tokens of the signed-in customer, and calls Crossbook directly.
 * @param {BackendOptions} options
 */
export async function openBackend({ url, apiKey, origin, tokenSeconds, sandbox, mayAddFields }) {
  const crossbook = createClient({ url: `${url}/graphql`, apiKey });
  const sandboxSwitch = createSandboxSwitch(sandbox);
  const sessions = createSessions();
  await requireCustomFields(crossbook, { mayAdd: mayAddFields });
  // What customers see on the connect pages, unless you have set it.
  const { displayName } = await crossbook.branding();
  if (displayName === null) await crossbook.updateBranding(BRANDING);
  await crossbook.upsertCustomer({
    customerId: 'acme',
    name: 'Acme Ltd.',
    email: 'it@acme.example',
  });
  // The other one exists in Crossbook's demo only.
  const isDemo = await crossbook.customer('demo').then(
    () => true,
    (/** @type {unknown} */ error) => {
      if (error instanceof CrossbookError && error.code === 'NOT_FOUND') return false;
      throw error;
    },
  );
  const customers = CUSTOMERS.filter(({ customerId }) => isDemo || customerId !== 'demo');

  /** @type {Record<string, (request: import('node:http').IncomingMessage) => Promise<unknown>>} */
  const open = {
    'GET /api/customers': () =>
      Promise.all(customers.map(async (one) => ({ ...one, hint: await describe(one.customerId) }))),

    async 'GET /api/session'({ headers }) {
      const session = sessions.find(headers.cookie);
      return session ? { customerId: session.customerId, crossbookUrl: `${url}/graphql` } : null;
    },

    async 'POST /api/session'(request) {
      const { customerId } = await readJson(request);
      const customer = customers.find((one) => one.customerId === customerId);
      if (!customer) throw new HttpError(422, 'There is no such customer.');
      return { headers: { 'set-cookie': sessions.open(customer.customerId) }, body: {} };
    },
  };

  /** @type {Record<string, (session: import('./sessions.mjs').Session, request: import('node:http').IncomingMessage) => Promise<unknown>>} */
  const signedIn = {
    async 'DELETE /api/session'(session) {
      return { headers: { 'set-cookie': sessions.close(session) }, body: {} };
    },

    'POST /api/token': ({ customerId }) =>
      crossbook.issueCustomerToken({
        customerId,
        expiresInSeconds: tokenSeconds,
        // In your product: only for users who may change contacts.
        canWrite: true,
      }),

    async 'POST /api/connect-links'(session, request) {
      const { provider } = await readJson(request);
      if (provider !== 'HUBSPOT' && provider !== 'SALESFORCE')
        throw new HttpError(422, 'No such CRM.');
      const { customerId } = session;
      const created = await crossbook.createConnectLink({
        customerId,
        providers: [provider],
        mode: 'POPUP',
        returnUrl: `${origin}/`,
        allowAccountChange: true,
        records: ['CONTACT', 'COMPANY', 'DEAL'],
        access: 'READ_WRITE',
      });
      session.connectLinkIds.add(created.link.id);
      return { id: created.link.id, url: created.url };
    },

    async 'POST /api/connect-links/confirm'({ connectLinkIds }, request) {
      const { connectLinkId: id, code } = await readJson(request);
      // Only in the session that requested the link: no account is connected to the customer of another session.
      if (!connectLinkIds.delete(String(id)))
        throw new HttpError(403, 'This link is not of your session.');
      const { link } = await crossbook.confirmConnectLink({ id: String(id), code: String(code) });
      return { status: link.status };
    },

    'GET /api/sandbox': () => sandboxSwitch.read(),
    'PUT /api/sandbox': async (_session, request) => sandboxSwitch.change(await readJson(request)),
  };

  /** @param {string} customerId */
  async function describe(customerId) {
    const { connections } = await crossbook.customer(customerId);
    const connected = CRMS.filter(({ provider }) =>
      connections.some((one) => one.providerName === provider && one.status === 'CONNECTED'),
    );
    if (connected.length === 0) return 'Nothing is connected yet';
    const titles = connected.map(({ title }) => title);
    return `${titles.join(' and ')} ${titles.length === 1 ? 'is' : 'are'} connected`;
  }

  return createServer(async (request, response) => {
    try {
      const route = `${request.method} ${request.url}`;
      const session = sessions.find(request.headers.cookie);
      if (route in open) return answerJson(response, 200, await open[route]?.(request));
      if (!(route in signedIn)) throw new HttpError(404, `There is no ${route}.`);
      if (!session) throw new HttpError(401, 'Sign in first.');
      answerJson(response, 200, await signedIn[route]?.(session, request));
    } catch (error) {
      const { status, message } = toHttpError(error);
      answerJson(response, status, { message });
    }
  });
}

/** @param {unknown} error */
function toHttpError(error) {
  if (error instanceof HttpError) return error;
  if (error instanceof CrossbookError) return new HttpError(502, error.detail);
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return new HttpError(500, 'Something went wrong here.');
}

/**
 * @typedef {object} BackendOptions
 * @property {string} url of Crossbook
 * @property {string} apiKey
 * @property {string} origin of the page
 * @property {number} tokenSeconds how long a customer token lives
 * @property {boolean} mayAddFields whether custom fields may be added to others
 * @property {Readonly<Record<string, string | undefined>>} sandbox where each simulated CRM listens, if it is simulated
 */
