/** What descriptions and examples of the APIs say about HubSpot. Data only: this file imports nothing. */
export const texts = {
  notes: {
    'record.updatedAt': 'HubSpot: time of the last change of any kind.',
    'contact.email': 'HubSpot: the primary and the additional addresses, not the work email.',
    'customFieldSource.field': 'HubSpot: the internal name.',
    'contactChanges.accountId': 'Not in HubSpot, where associations decide.',
    'companyChanges.annualRevenue': 'HubSpot: in the currency of the portal, without a code.',
    'companyChanges.parentId': 'Not in HubSpot, where associations decide.',
    'dealChanges.closeDate': 'HubSpot: noon of that day in UTC.',
    'write.ifUnmodifiedSince':
      'HubSpot: another change can come between the comparison and the write.',
    connectedAccount: 'HubSpot: a portal.',
  },
  examples: {
    accountUrl: 'https://app.hubspot.com/contacts/7654321',
    fields: { favoriteColor: 'favorite_color', jobTitle: 'jobtitle' },
  },
} as const;
