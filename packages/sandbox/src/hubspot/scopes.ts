import type { Approval } from '../tokens.ts';
import { HubSpotError } from './errors.ts';
import type { EndpointContext, HubSpotAccount } from './types.ts';

/** Checks that the customer has granted the scopes that the call needs. */
export function checkScopes({ account, call }: EndpointContext, needed: readonly string[]): void {
  const granted = grantedScopes(account, call.grant?.approval);
  const missing = needed.find((scope) => !granted.includes(scope));
  if (missing !== undefined) throw missingScopes(missing);
}

/** The requested scopes that the account allows. */
export function grantedScopes(
  { quirks }: HubSpotAccount,
  approval: Approval | undefined,
): readonly string[] {
  const { scopes } = approval ?? {};
  return scopes?.filter((scope) => quirks.grantedScopes.includes(scope)) ?? quirks.grantedScopes;
}

/** The description of a scope on the consent page. */
export function describeScope(scope: string): string {
  return WORDS[scope] ?? scope;
}

export function missingScopes(needed: string): HubSpotError {
  return new HubSpotError(403, {
    message:
      "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes.",
    errors: [
      {
        message: 'One or more of the following scopes are required.',
        context: { requiredGranularScopes: [needed] },
      },
    ],
    links: { scopes: 'https://developers.hubspot.com/scopes' },
    category: 'MISSING_SCOPES',
  });
}

/** The scope that reads this associated object type. */
export function scopeOfObject(name: string): string {
  return name === 'ticket' ? 'tickets' : `crm.objects.${OBJECTS[name] ?? name}.read`;
}

/** The scope that writes records of this object type. */
export function writeScopeOfObject(name: string): string {
  return scopeOfObject(name).replace(/read$/, 'write');
}

export const CONTACTS_SCOPE = 'crm.objects.contacts.read';

export const DEALS_SCOPE = 'crm.objects.deals.read';

export const OWNERS_SCOPE = 'crm.objects.owners.read';
export const SCHEMAS_SCOPE = 'crm.schemas.custom.read';
export const OWN_OBJECTS_SCOPE = 'crm.objects.custom.read';

const OBJECTS: Readonly<Record<string, string>> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  lead: 'leads',
};

const WRITE_SCOPES = ['contact', 'company', 'deal'].map(writeScopeOfObject);

export const ALL_SCOPES: readonly string[] = [
  'oauth',
  CONTACTS_SCOPE,
  'crm.objects.companies.read',
  DEALS_SCOPE,
  ...WRITE_SCOPES,
  OWN_OBJECTS_SCOPE,
  'tickets',
  'crm.objects.leads.read',
  OWNERS_SCOPE,
  SCHEMAS_SCOPE,
];

const WORDS: Readonly<Record<string, string>> = {
  oauth: 'See which account this is',
  [CONTACTS_SCOPE]: 'Read contacts',
  'crm.objects.companies.read': 'Read companies',
  [DEALS_SCOPE]: 'Read deals',
  'crm.objects.contacts.write': 'Create and change contacts',
  'crm.objects.companies.write': 'Create and change companies',
  'crm.objects.deals.write': 'Create and change deals',
  [OWN_OBJECTS_SCOPE]: 'Read custom objects',
  tickets: 'Read tickets',
  'crm.objects.leads.read': 'Read leads',
  [OWNERS_SCOPE]: 'Read owners',
  [SCHEMAS_SCOPE]: 'Read object schemas',
};
