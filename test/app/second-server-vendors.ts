import { createHmac } from 'node:crypto';

const SALESFORCE_TOKEN = '/services/oauth2/token';
const HUBSPOT_TOKEN = '/oauth/2026-03/token';

/** How a standard authorization server is adapted, so that it looks like a vendor's. */
export const VENDORS = {
  salesforce: {
    routes: {
      authorization: '/services/oauth2/authorize',
      token: SALESFORCE_TOKEN,
      revocation: '/services/oauth2/revoke',
    },
    scopes: ['api', 'refresh_token'],
    requiresPkce: true,
    rotates: true,
    revokesWithoutClient: true,
    isRecords: (path) => path.startsWith('/services/data'),
    toAuthorizationQuery: (query) => query,
    toAnswer(path, answer, { account, origin }) {
      if (path !== SALESFORCE_TOKEN) return answer;
      const { expires_in: _unsaid, ...rest } = answer;
      const id = `${origin}/id/${account.id}/005000000000001AAA`;
      const issuedAt = String(1_700_000_000_000);
      const signature = createHmac('sha256', account.clientSecret)
        .update(id + issuedAt)
        .digest('base64');
      return { ...rest, id, issued_at: issuedAt, signature, instance_url: origin };
    },
  },
  hubspot: {
    routes: {
      authorization: '/oauth/authorize',
      token: HUBSPOT_TOKEN,
      introspection: `${HUBSPOT_TOKEN}/introspect`,
      revocation: `${HUBSPOT_TOKEN}/revoke`,
    },
    scopes: ['oauth', 'crm.objects.contacts.read'],
    requiresPkce: false,
    rotates: false,
    revokesWithoutClient: false,
    isRecords: (path) => path.startsWith('/crm/'),
    // HubSpot's page has only one response type, which is not a parameter.
    toAuthorizationQuery: (query) => `${query}&response_type=code`,
    toAnswer(path, answer, { account }) {
      if (path !== `${HUBSPOT_TOKEN}/introspect` || answer['active'] !== true) return answer;
      const scopes = String(answer['scope']).split(' ');
      return {
        ...answer,
        hub_id: Number(account.id),
        hub_domain: 'second.example',
        user_id: 7,
        scopes,
      };
    },
  },
} satisfies Record<string, SecondVendor>;

export interface SecondVendor {
  readonly routes: {
    readonly authorization: string;
    readonly token: string;
    readonly introspection?: string;
    readonly revocation: string;
  };
  readonly scopes: readonly string[];
  readonly requiresPkce: boolean;
  readonly rotates: boolean;
  readonly revokesWithoutClient: boolean;
  isRecords(path: string): boolean;
  toAuthorizationQuery(query: string): string;
  toAnswer(path: string, answer: Answer, whose: Whose): Answer;
}

export type Answer = Readonly<Record<string, unknown>>;

interface Whose {
  readonly account: { readonly id: string; readonly clientSecret: string };
  readonly origin: string;
}
