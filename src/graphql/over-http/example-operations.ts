/** What GraphiQL opens with: operations that answer as they stand. A tab is named by its operation. */
export const EXAMPLE_OPERATIONS: readonly ExampleOperation[] = [
  {
    query: `# Find a person in one CRM by their email address.
query FindInOneCrm {
  searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) {
    totalCount
    fetchedAt
    nodes {
      id
      remoteId
      firstName
      lastName
      lifecycleStage
      emailAddresses {
        emailAddress
        emailAddressType
      }
      associations(to: [COMPANY]) {
        object
        remoteId
      }
    }
  }
}
`,
    // GraphiQL does not fill in the first tab's variables.
    variables: toVariables({}),
  },
  {
    query: `# Ask all CRMs of a customer at once. Pipedrive cannot be searched: its branch is null, with an error that
# says so, and the rest of the answer stands.
query FindInAllCrms($filter: ContactFilter!) {
  hubspot: searchContacts(provider: HUBSPOT, filter: $filter) {
    ...People
  }
  salesforce: searchContacts(provider: SALESFORCE, filter: $filter) {
    ...People
  }
  pipedrive: searchContacts(provider: PIPEDRIVE, filter: $filter) {
    ...People
  }
}

fragment People on ContactConnection {
  totalCount
  nodes {
    id
    provider
    firstName
    lastName
    emailAddresses {
      emailAddress
    }
  }
}
`,
    variables: toVariables({ filter: { email: 'ada@example.com' } }),
  },
  {
    query: `# Page through everybody of an email domain: put \`endCursor\` into the variable \`after\` for the next page.
query PageThroughADomain($after: String) {
  searchContacts(provider: SALESFORCE, filter: { emailDomain: "example.com" }, first: 5, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      firstName
      lastName
    }
  }
}
`,
    variables: toVariables({ after: null }),
  },
  {
    query: `# Create or update one of your customers, together with its connections.
mutation UpsertCustomer($input: UpsertCustomerInput!) {
  upsertCustomer(input: $input) {
    created
    customer {
      id
      customerId
      name
      version
      connections {
        providerName
        category
        status
      }
    }
  }
}
`,
    variables: toVariables({
      input: {
        customerId: 'acme',
        name: 'Acme Ltd',
        email: 'office@acme.example',
        connections: [
          // Of a provider that is never called: a search afterwards asks nobody with an invented token.
          { providerName: 'PIPEDRIVE', credentials: { token: { value: 'the-access-token' } } },
        ],
      },
    }),
  },
  {
    query: `# A link for one of your customers: opened in a browser, it leads to the CRM for consent, and then back to \`returnUrl\`.
mutation ConnectACrm($input: CreateConnectLinkInput!) {
  createConnectLink(input: $input) {
    url
    link {
      id
      status
      expiresAt
    }
  }
}
`,
    variables: toVariables({
      input: { customerId: 'demo', providers: ['HUBSPOT'], returnUrl: 'http://localhost:5173/connected' },
    }),
  },
];

function toVariables(variables: object): string {
  return JSON.stringify(variables, null, 2);
}

interface ExampleOperation {
  readonly query: string;
  readonly variables: string;
}
