/**
 * The command or the mutation that does the same as a change in the console. `packages/console/test` checks all of them
 * against the schema.
 */
export const same = {
  createApplication: (name: string) => `crossbook apps create ${toWord(name)}`,
  renameApplication: (application: string, name: string) =>
    `crossbook apps rename ${application} ${toWord(name)}`,
  deleteApplication: (application: string, name: string) =>
    `crossbook apps delete ${application} --confirm ${toWord(name)}`,
  addOrigin: (application: string, origin: string) =>
    `crossbook apps origins ${application} --add ${toWord(origin)}`,
  removeOrigin: (application: string, origin: string) =>
    `crossbook apps origins ${application} --remove ${toWord(origin)}`,
  createKey: (application: string, name: string) =>
    `crossbook keys create ${application} ${toWord(name)}`,
  rotateKey: (id: string) => `crossbook keys rotate ${id}`,
  revokeKey: (id: string) => `crossbook keys revoke ${id}`,

  deleteCustomer: (customerId: string) =>
    toMutation('deleteCustomer', { customerId: quote(customerId) }, 'deletedCustomerId'),
  disconnectProvider: (customerId: string, provider: string) =>
    toMutation('disconnectProvider', toTarget(customerId, provider), 'revocation'),
  createConnectLink: ({ customerId, providers, records, access, returnUrl }: LinkInput) =>
    toMutation(
      'createConnectLink',
      {
        customerId: quote(customerId),
        providers: toEnums(providers),
        records: toEnums(records),
        access: toEnum(access),
        returnUrl: quote(returnUrl),
      },
      'url link { id }',
    ),
  createMappingLink: ({ application, customerId, provider, returnUrl }: MappingLinkInput) =>
    `crossbook mapping-links create ${application} ${toWord(customerId)} ${provider} --return-url ${toWord(returnUrl)}`,
  cancelConnectLink: (id: string) =>
    toMutation('cancelConnectLink', { id: quote(id) }, 'link { status }'),

  startSync: (target: SyncTarget) => changeSync('startSync', target),
  startFullSync: (target: SyncTarget) => changeSync('startSync', target, { full: 'true' }),
  pauseSync: (target: SyncTarget) => changeSync('pauseSync', target),
  resumeSync: (target: SyncTarget) => changeSync('resumeSync', target),
  deleteSyncDestination: () => toMutation('deleteSyncDestination', {}, 'clientMutationId'),

  createWebhookEndpoint: (url: string) =>
    toMutation('createWebhookEndpoint', { url: quote(url) }, 'endpoint { id } secret'),
  enableWebhookEndpoint: (id: string, enabled: boolean) =>
    toMutation(
      'updateWebhookEndpoint',
      { id: quote(id), enabled: String(enabled) },
      'endpoint { enabled }',
    ),
  sendTestEvent: (endpointId: string) =>
    toMutation('sendTestEvent', { endpointId: quote(endpointId) }, 'event { id }'),
  redeliverSince: (endpointId: string, since: string) =>
    toMutation(
      'redeliverEvents',
      { endpointId: quote(endpointId), since: quote(since) },
      'scheduled',
    ),
  redeliverEvent: (endpointId: string, eventId: string) =>
    toMutation(
      'redeliverEvents',
      { endpointId: quote(endpointId), eventIds: `[${quote(eventId)}]` },
      'scheduled',
    ),
  rotateWebhookSecret: (id: string) =>
    toMutation('rotateWebhookSecret', { id: quote(id) }, 'secret'),
  deleteWebhookEndpoint: (id: string) =>
    toMutation('deleteWebhookEndpoint', { id: quote(id) }, 'deletedEndpointId'),

  /** The secret is read from a file, so that it is in no history of commands. */
  setOAuthClient: (application: string, provider: string, clientId: string) =>
    `crossbook oauth-clients set ${application} ${provider} --client-id ${toWord(clientId)} < secret.txt`,
  deleteOAuthClient: (provider: string) =>
    toMutation('deleteOAuthClient', { provider: toEnum(provider) }, 'clientMutationId'),
};

function changeSync(
  name: string,
  { customerId, provider, table }: SyncTarget,
  more: Readonly<Record<string, string>> = {},
): string {
  const input = { ...toTarget(customerId, provider), table: quote(table), ...more };
  return toMutation(name, input, 'connection { syncs { table status } }');
}

/** `input` has literals of GraphQL. */
function toMutation(
  name: string,
  input: Readonly<Record<string, string>>,
  selection: string,
): string {
  const fields = Object.entries(input).map(([field, value]) => `${field}: ${value}`);
  const given = fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  return `mutation { ${name}(input: ${given}) { ${selection} } }`;
}

const toTarget = (customerId: string, provider: string) => ({
  customerId: quote(customerId),
  provider: toEnum(provider),
});

/** A name of REST as a value of an enum: `6sense` is `SIX_SENSE`. */
function toEnum(name: string): string {
  return name === '6sense' ? 'SIX_SENSE' : name.toUpperCase();
}

const toEnums = (names: readonly string[]) => `[${names.map(toEnum).join(', ')}]`;

/** A word of a POSIX shell. */
const toWord = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** JSON's strings are strings of GraphQL, too. */
const quote = (text: string) => JSON.stringify(text);

interface LinkInput {
  readonly customerId: string;
  readonly providers: readonly string[];
  readonly records: readonly string[];
  readonly access: string;
  readonly returnUrl: string;
}

interface MappingLinkInput {
  readonly application: string;
  readonly customerId: string;
  readonly provider: string;
  readonly returnUrl: string;
}

interface SyncTarget {
  readonly customerId: string;
  readonly provider: string;
  readonly table: string;
}
