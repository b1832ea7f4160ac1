import { randomBytes } from 'node:crypto';

const COOKIE = 'fernway_session';
const MAX_SESSIONS = 1_000;

/** Sessions in memory, without passwords: replace them by those of your product. */
export function createSessions() {
  /** @type {Map<string, Session>} */
  const sessions = new Map();
  return {
    /**
     * Returns the cookie to set.
     * @param {string} customerId
     */
    open(customerId) {
      const id = randomBytes(32).toString('base64url');
      sessions.set(id, { id, customerId, connectLinkIds: new Set() });
      for (const oldest of [...sessions.keys()].slice(0, sessions.size - MAX_SESSIONS))
        sessions.delete(oldest);
      return toCookie(id);
    },

    /** @param {string | undefined} cookies */
    find(cookies = '') {
      const [, id = ''] = new RegExp(`(?:^|; )${COOKIE}=([\\w-]+)`).exec(cookies) ?? [];
      return sessions.get(id);
    },

    /** @param {Session} session */
    close({ id }) {
      sessions.delete(id);
      return `${toCookie('')}; Max-Age=0`;
    },
  };
}

/**
 * SameSite=Lax, so that the browser sends it after the redirect from the CRM's consent page. Over https add `Secure`.
 * @param {string} id
 */
function toCookie(id) {
  return `${COOKIE}=${id}; HttpOnly; SameSite=Lax; Path=/api`;
}

/**
 * @typedef {object} Session
 * @property {string} id
 * @property {string} customerId
 * @property {Set<string>} connectLinkIds links that this person has asked for
 */
