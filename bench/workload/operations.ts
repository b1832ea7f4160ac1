/** The selection of a contact: every field that needs no further CRM call. */
const EVERY_FIELD = `
  id remoteId provider accountId ownerId firstName lastName
  addresses { addressType street1 street2 city state postalCode country }
  emailAddresses { emailAddress emailAddressType }
  phoneNumbers { phoneNumber phoneNumberType }
  lifecycleStage lastActivityAt createdAt updatedAt lastModifiedAt isDeleted
`;
const THREE_FIELDS = 'id firstName lastName';
const OF_THE_PAGE =
  'pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount fetchedAt';

export function searchOperation(fields: FieldSet): string {
  return `query Search($emails: [String!]!, $first: Int) {
    searchContacts(filter: { emails: $emails }, first: $first) {
      nodes { ${fields === 'three' ? THREE_FIELDS : EVERY_FIELD} }
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

export type FieldSet = 'all' | 'three';
