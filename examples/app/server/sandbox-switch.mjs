import { HttpError } from './json.mjs';

/** Practically forever. */
const TIMES = 1_000_000;

/**
 * Takes a simulated CRM down and up again, by the sandbox's control API. For experiments: your product has no such switch.
 * @param {Readonly<Record<string, string | undefined>>} origins
 */
export function createSandboxSwitch(origins) {
  /** @type {Set<string>} */
  const down = new Set();
  return {
    async read() {
      const providers = Object.keys(origins).filter((one) => origins[one] !== undefined);
      return { providers, down: [...down] };
    },

    /** @param {Record<string, unknown>} wish */
    async change({ provider, isDown }) {
      const origin = origins[String(provider)];
      if (origin === undefined) throw new HttpError(422, 'No such CRM.');
      for (const id of await listAccounts(origin)) {
        const faults = `/accounts/${encodeURIComponent(id)}/faults`;
        await send(origin, faults, 'DELETE', {});
        if (isDown) await send(origin, faults, 'POST', { fault: 'unavailable', times: TIMES });
      }
      if (isDown) down.add(String(provider));
      else down.delete(String(provider));
      return this.read();
    },
  };
}

/**
 * @param {string} origin
 * @returns {Promise<string[]>}
 */
async function listAccounts(origin) {
  const { accounts } = await send(origin, '/accounts', 'GET');
  return accounts.map((/** @type {{ id: string }} */ { id }) => id);
}

/**
 * @param {string} origin
 * @param {string} path
 * @param {string} method
 * @param {object} [body]
 */
async function send(origin, path, method, body) {
  const url = `${origin}/__sandbox${path}`;
  const json = body && { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    body: JSON.stringify(body),
    ...(json && { headers: json }),
  }).catch((/** @type {Error} */ { message, cause }) => {
    const { message: reason = message } = /** @type {Partial<Error>} */ (cause ?? {});
    throw new HttpError(502, `The simulated CRM at ${origin} cannot be reached: ${reason}.`);
  });
  if (!response.ok) throw new HttpError(502, `The simulated CRM refuses: ${await response.text()}`);
  return response.json().catch(() => ({}));
}
