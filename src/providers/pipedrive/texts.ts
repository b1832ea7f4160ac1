/** What descriptions and examples of the APIs say about Pipedrive. Data only: this file imports nothing. */
export const texts = {
  notes: {
    'record.updatedAt': 'Pipedrive: whole seconds.',
    'record.lifecycleStage': 'Null in Pipedrive.',
    'contact.email': 'Pipedrive: all addresses of a person, which several may have.',
    company: 'Pipedrive: an organization.',
    'company.domain': 'Pipedrive: the host of the website.',
    'customFieldSource.field':
      'Pipedrive: the code, which is a key of 40 digits for a custom field.',
    'contactChanges.lifecycleStage': 'Not in Pipedrive.',
    'dealChanges.closeDate': 'Pipedrive: the expected date.',
    'dealChanges.nextStep': 'Not in Pipedrive.',
    'write.ifUnmodifiedSince':
      'Pipedrive: another change can come between the comparison and the write.',
    connectedAccount: 'Pipedrive: a company.',
    'connection.instanceUrl': 'Required for Pipedrive.',
  },
  lacks: {
    note: 'Not in Pipedrive.',
    CONTACT: ['emailDomain', 'phone', 'namePrefix', 'customField'],
    COMPANY: ['domain', 'domains', 'namePrefix', 'customField'],
    DEAL: ['closeDate', 'customField'],
  },
  examples: {},
} as const;
