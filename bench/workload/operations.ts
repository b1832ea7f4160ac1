/** The selection of a contact: every field that needs no further CRM call. */
const EVERY_FIELD = `
  id remoteId provider accountId ownerId firstName lastName
  addresses { addressType street1 street2 city state postalCode country }
  emailAddresses { emailAddress emailAddressType }
  phoneNumbers { phoneNumber phoneNumberType }
  lifecycleStage lastActivityAt createdAt updatedAt lastModifiedAt isDeleted
`;
const THREE_FIELDS = 'id firstName lastName';
const WITH_COMPANIES = `${THREE_FIELDS} companies { edges { isPrimary node { id name domain } } }`;
const OF_THE_PAGE =
  'pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount fetchedAt';

export function searchOperation(fields: FieldSet): string {
  return `query Search($emails: [String!]!, $first: Int) {
    searchContacts(filter: { emails: $emails }, first: $first) {
      nodes { ${SELECTIONS[fields]} }
      ${OF_THE_PAGE}
    }
  }`;
}

/** This many lookups by one email each, in one operation. */
export function aliasedOperation(count: number): string {
  const aliases = Array.from(
    { length: count },
    (_, index) =>
      `look${index}: searchContacts(filter: { email: $email${index} }) { nodes { ${THREE_FIELDS} } }`,
  );
  const variables = Array.from({ length: count }, (_, index) => `$email${index}: String!`);
  return `query Aliased(${variables.join(', ')}) { ${aliases.join('\n')} }`;
}

const SELECTIONS: Readonly<Record<FieldSet, string>> = {
  all: EVERY_FIELD,
  three: THREE_FIELDS,
  companies: WITH_COMPANIES,
};

export type FieldSet = 'all' | 'three' | 'companies';
