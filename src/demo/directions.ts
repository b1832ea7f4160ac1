import type { JoinedSandbox } from '@crossbook/sandbox';
import type { SandboxLogin } from '../domain/oauth.ts';

/** The first two CRMs, unless all were asked for. */
export function toUsedSandbox(
  sandbox: JoinedSandbox | undefined,
  hasAll: boolean,
): JoinedSandbox | undefined {
  return sandbox && !hasAll ? { ...sandbox, pipedrive: undefined } : sandbox;
}

/** Routes the product to the simulated CRMs, with the OAuth client that it has there. */
export function toDirections(sandbox: JoinedSandbox | undefined): Directions {
  const crms = sandbox ? listCrms(sandbox) : [];
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

function listCrms({ hubspot, salesforce, pipedrive }: JoinedSandbox) {
  return pipedrive ? [hubspot, salesforce, pipedrive] : [hubspot, salesforce];
}

function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname === '/' ? '' : pathname;
}

export interface Directions {
  readonly sandboxOrigins: readonly string[];
  /** The real address of each placeholder origin. */
  readonly sandboxAddresses: ReadonlyMap<string, string>;
  /** The sandbox has an OAuth client of its own, and never receives the secret of a real one. */
  findClient(origin: string): SandboxClient | undefined;
  /**
   * Replaces the vendor's login origin (`https://app.hubspot.com`, `https://login.salesforce.com`,
   * `https://northwind.my.salesforce.com`) by a local origin, which is stored with the state. Undefined: the
   * sandbox does not simulate that provider, or it is off.
   */
  toSandboxLogin(provider: string, loginOrigin: string): string | undefined;
  /** The sandbox behind a login origin that `toSandboxLogin` returned; undefined for every other origin. */
  findSandboxOfLogin(loginOrigin: string): SandboxOfLogin | undefined;
}

interface SandboxOfLogin extends SandboxLogin {
  /** The OAuth client of the product there. */
  readonly client: SandboxClient;
}

interface SandboxClient {
  readonly clientId: string;
  readonly clientSecret: string;
}
