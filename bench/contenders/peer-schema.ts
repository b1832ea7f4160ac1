import { findPage } from './find-page.ts';
import type { HubSpot } from './hubspot.ts';

/**
 * The part of Crossbook's schema that the operations select, as users of a peer would write it: SDL and one
 * resolver.
 */
export const TYPE_DEFS = `
  scalar DateTime
  enum ProviderName { HUBSPOT SALESFORCE }
  enum AddressType { PRIMARY MAILING OTHER BILLING SHIPPING }
  enum EmailAddressType { PRIMARY WORK OTHER }
  enum PhoneNumberType { PRIMARY MOBILE FAX OTHER }
  enum LifecycleStage {
    SUBSCRIBER LEAD MARKETINGQUALIFIEDLEAD SALESQUALIFIEDLEAD OPPORTUNITY CUSTOMER EVANGELIST OTHER
  }
  input ContactFilter { emails: [String!] }
  type Query { searchContacts(filter: ContactFilter!, first: Int): ContactConnection }
  type ContactConnection {
    nodes: [Contact!]!
    pageInfo: PageInfo!
    totalCount: Int
    fetchedAt: DateTime!
  }
  type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type Contact {
    id: ID!
    remoteId: ID!
    provider: ProviderName!
    accountId: ID
    ownerId: ID
    firstName: String
    lastName: String
    addresses: [Address!]!
    emailAddresses: [EmailAddress!]!
    phoneNumbers: [PhoneNumber!]!
    lifecycleStage: LifecycleStage
    lastActivityAt: DateTime
    createdAt: DateTime
    updatedAt: DateTime
    lastModifiedAt: DateTime
    isDeleted: Boolean!
  }
  type Address {
    addressType: AddressType!
    street1: String
    street2: String
    city: String
    state: String
    postalCode: String
    country: String
  }
  type EmailAddress { emailAddress: String! emailAddressType: EmailAddressType! }
  type PhoneNumber { phoneNumber: String! phoneNumberType: PhoneNumberType! }
`;

export function createResolvers(hubspot: HubSpot) {
  return {
    Query: {
      searchContacts: (_root: unknown, { filter }: SearchArguments) =>
        findPage(hubspot, filter.emails),
    },
  };
}

interface SearchArguments {
  readonly filter: { readonly emails: readonly string[] };
}
