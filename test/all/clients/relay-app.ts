/** A small Relay application: fragments that page forward and backward, refetchable fragments, both mutations. */
export const RELAY_APP = /* JavaScript */ `
graphql\`
  query appContactsQuery($domain: String!, $count: Int!) {
    ...appContactList_query @arguments(domain: $domain, count: $count)
  }
\`;
graphql\`
  fragment appContactList_query on Query
  @argumentDefinitions(
    domain: { type: "String!" }
    count: { type: "Int", defaultValue: 10 }
    cursor: { type: "String" }
  )
  @refetchable(queryName: "appContactListPaginationQuery") {
    searchContacts(provider: HUBSPOT, filter: { emailDomain: $domain }, first: $count, after: $cursor)
      @connection(key: "appContactList_searchContacts") {
      totalCount
      edges {
        node {
          ...appContactRow_contact
        }
      }
    }
  }
\`;
graphql\`
  fragment appContactsFromTheEnd_query on Query
  @argumentDefinitions(
    domain: { type: "String!" }
    last: { type: "Int", defaultValue: 10 }
    before: { type: "String" }
  )
  @refetchable(queryName: "appContactsFromTheEndPaginationQuery") {
    searchContacts(provider: HUBSPOT, filter: { emailDomain: $domain }, last: $last, before: $before)
      @connection(key: "appContactsFromTheEnd_searchContacts") {
      edges {
        node {
          id
        }
      }
    }
  }
\`;
graphql\`
  fragment appContactRow_contact on Contact @refetchable(queryName: "appContactRowRefetchQuery") {
    firstName
    emailAddresses {
      emailAddress
    }
  }
\`;
graphql\`
  fragment appCustomer_customer on Customer @refetchable(queryName: "appCustomerRefetchQuery") {
    name
    version
    connections {
      ...appConnection_connection
    }
  }
\`;
graphql\`
  fragment appConnection_connection on ConnectedProvider
  @refetchable(queryName: "appConnectionPaginationQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 4 }, cursor: { type: "String" }) {
    providerName
    status
    searchContacts(filter: { emailDomain: "example.com" }, first: $count, after: $cursor)
      @connection(key: "appConnection_searchContacts") {
      edges {
        node {
          ...appContactRow_contact
        }
      }
    }
  }
\`;
graphql\`
  mutation appUpsertCustomerMutation($input: UpsertCustomerInput!) {
    upsertCustomer(input: $input) {
      created
      customer {
        id
        name
        version
      }
    }
  }
\`;
graphql\`
  mutation appIssueCustomerTokenMutation($input: IssueCustomerTokenInput!) {
    issueCustomerToken(input: $input) {
      token
      expiresAt
    }
  }
\`;
`;
