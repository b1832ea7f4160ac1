import { Refusal } from './refusal.ts';
import type { HubSpotAccount } from './types.ts';

/** What the customer has allowed, of what the call needs. */
export function checkScope(account: HubSpotAccount, needed: string | undefined): void {
  if (needed !== undefined && !account.quirks.grantedScopes.includes(needed)) throw missingScopes(needed);
}

export function missingScopes(needed: string): Refusal {
  return new Refusal(403, {
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

/** Which scope reads what is linked to a contact. */
export function scopeOfObject(name: string): string {
  return name === 'ticket' ? 'tickets' : `crm.objects.${OBJECTS[name] ?? name}.read`;
}

export const CONTACTS_SCOPE = 'crm.objects.contacts.read';

const OBJECTS: Readonly<Record<string, string>> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
};

export const ALL_SCOPES: readonly string[] = [
  ...['oauth', CONTACTS_SCOPE, 'crm.objects.companies.read', 'crm.objects.deals.read', 'tickets'],
];
