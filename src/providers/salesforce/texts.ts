/** What descriptions and examples of the APIs say about Salesforce. Data only: this file imports nothing. */
export const texts = {
  notes: {
    'record.updatedAt': 'Salesforce: `LastModifiedDate`.',
    'record.lastModifiedAt': 'Salesforce: `SystemModstamp`.',
    'record.lifecycleStage': 'Null in Salesforce, which has no such field.',
    'contact.email': 'Salesforce: the email.',
    company: 'Salesforce: an account.',
    'company.domain': 'Salesforce: the host of the website, because it has no such field.',
    deal: 'Salesforce: an opportunity.',
    'customFieldSource.field':
      'Salesforce: the API name, which may follow one relationship (`Account.Industry`).',
    'contactChanges.phoneNumbers': 'Salesforce: `other` is the field `OtherPhone`.',
    'contactChanges.lifecycleStage': 'Not in Salesforce.',
    'companyChanges.domain': 'Not in Salesforce, which has a website only.',
    'companyChanges.annualRevenue':
      'Salesforce: a currency only in organisations that have several.',
    'companyChanges.lifecycleStage': 'Not in Salesforce.',
    'dealChanges.amount': 'Salesforce: a currency only in organisations that have several.',
    'dealChanges.stageId':
      'Salesforce: required for a new deal, as are the name and the close date.',
    connectedAccount: 'Salesforce: an organisation.',
    'connection.instanceUrl': 'Required for Salesforce.',
  },
  examples: {
    instanceUrl: 'https://acme.my.salesforce.com',
    fields: { favoriteColor: 'Favorite_Color__c', jobTitle: 'Title' },
  },
} as const;
