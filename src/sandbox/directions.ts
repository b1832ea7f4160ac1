import type { Sandbox } from './open-sandbox.ts';

/** How the rest of the product finds the imitated CRMs, and what it is registered as with them. */
export function toDirections(sandbox: Sandbox | undefined): Directions {
  const crms = sandbox ? [sandbox.hubspot, sandbox.salesforce] : [];
  return {
    sandboxOrigins: crms.flatMap(({ origin, nameOrigin }) => [origin, nameOrigin]),
    sandboxAddresses: new Map(crms.map(({ origin, nameOrigin }) => [nameOrigin, origin])),
    findClient: (origin) => crms.find((crm) => [crm.origin, crm.nameOrigin].includes(origin))?.demo,
  };
}

export interface Directions {
  readonly sandboxOrigins: readonly string[];
  /** Where those are that only have a name. */
  readonly sandboxAddresses: ReadonlyMap<string, string>;
  /** The sandbox knows a client of its own, and never learns the secret of a real one. */
  findClient(origin: string): { readonly clientId: string; readonly clientSecret: string } | undefined;
}
