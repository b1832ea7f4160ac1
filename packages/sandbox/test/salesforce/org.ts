import type { SalesforceAccount, Sandbox } from '../../src/index.ts';

/** Reads an org as a client of its REST API does. */
export function createOrgClient({ salesforce }: Sandbox, account: SalesforceAccount) {
  const get = async (path: string) => {
    const response = await fetch(`${salesforce.origin}/services/data/v66.0/${path}`, {
      headers: { authorization: `Bearer ${account.accessToken}` },
    });
    return { status: response.status, body: await response.json() };
  };
  return {
    get,
    query: (soql: string, resource = 'query') => get(`${resource}?q=${encodeURIComponent(soql)}`),
  };
}
