import { HttpError } from './json.mjs';

/** Practically forever. */
const TIMES = 1_000_000;

/**
 * Takes a simulated CRM down and up again, by the sandbox's control API. For experiments: your product has no such switch.
 * @param {Readonly<Record<string, string>>} origins
 */
export function createSandboxSwitch(origins) {
  /** @type {Set<string>} */
  const down = new Set();
  return {
    async read() {
      return { down: [...down] };
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
  const response = await fetch(`${origin}/__sandbox/accounts`);
  const { accounts } = await response.json();
  return accounts.map((/** @type {{ id: string }} */ { id }) => id);
}

/**
 * @param {string} origin
 * @param {string} path
 * @param {string} method
 * @param {object} body
 */
async function send(origin, path, method, body) {
  const response = await fetch(`${origin}/__sandbox${path}`, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  if (!response.ok) throw new Error(`The sandbox refuses: ${await response.text()}`);
}
