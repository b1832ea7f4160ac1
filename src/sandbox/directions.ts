import type { SandboxLogin } from '../domain/oauth.ts';
import type { Sandbox } from './open-sandbox.ts';

/** How the rest of the product finds the imitated CRMs, and what it is registered as with them. */
export function toDirections(sandbox: Sandbox | undefined): Directions {
  const crms = sandbox ? [sandbox.hubspot, sandbox.salesforce] : [];
  return {
    sandboxOrigins: crms.flatMap(({ origin, nameOrigin }) => [origin, nameOrigin]),
    sandboxAddresses: new Map(crms.map(({ origin, nameOrigin }) => [nameOrigin, origin])),
    findClient: (origin) => crms.find((crm) => [crm.origin, crm.nameOrigin].includes(origin))?.demo,
    toSandboxLogin: (provider, loginOrigin) =>
      crms.find(({ name }) => name === provider)?.toLoginOrigin(new URL(loginOrigin).hostname),
    findSandboxOfLogin(loginOrigin) {
      const crm = crms.find((one) => one.isLoginOrigin(loginOrigin));
      return (
        crm && {
          client: crm.demo,
          tokenOrigin: crm.nameOrigin,
          toInstanceUrl: (url) => crm.nameOrigin + (url === null ? '' : pathOf(url)),
        }
      );
    },
  };
}

function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname === '/' ? '' : pathname;
}

export interface Directions {
  readonly sandboxOrigins: readonly string[];
  /** Where those are that only have a name. */
  readonly sandboxAddresses: ReadonlyMap<string, string>;
  /** The sandbox knows a client of its own, and never learns the secret of a real one. */
  findClient(origin: string): SandboxClient | undefined;
  /**
   * Where the browser goes in place of the vendor's login origin (`https://app.hubspot.com`, `https://login.salesforce.com`,
   * `https://northwind.my.salesforce.com`): an origin of this machine, kept with the state. Undefined: the sandbox does not imitate that
   * provider, or the sandbox is off.
   */
  toSandboxLogin(provider: string, loginOrigin: string): string | undefined;
  /** What stands behind a login origin that `toSandboxLogin` gave; undefined for every other origin. */
  findSandboxOfLogin(loginOrigin: string): SandboxOfLogin | undefined;
}

interface SandboxOfLogin extends SandboxLogin {
  /** What the product is registered as there. */
  readonly client: SandboxClient;
}

interface SandboxClient {
  readonly clientId: string;
  readonly clientSecret: string;
}
