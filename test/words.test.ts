import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Old word → the field's word that took its place. What is left of an old one is named with its file and line. */
const WORDS: Readonly<Record<string, string>> = {
  ...{ createFront: 'createRequestHandler', answerAlways: 'probes', Gate: 'ConcurrencyLimit' },
  ...{
    Journal: 'RequestLog',
    openJournal: 'openRequestLog',
    Departure: 'response',
    Admission: 'RateLimitResult',
  },
  ...{
    ArrivalIds: 'TraceHeaders',
    toArrival: 'toRequestHead',
    Timing: 'Tracer',
    RefusalLines: 'RejectedRequestLog',
  },
  ...{
    refuseBytes: 'handleClientErrors',
    watchRooms: 'registerGauges',
    watchProcess: 'registerProcessGauges',
  },
  ...{
    Lane: 'RateLimiter',
    SharedLane: 'DistributedRateLimiter',
    WaitingLine: 'WaitQueue',
    leaveUnsent: 'cancel',
  },
  ...{
    LaneCounts: 'ClientStats',
    LineCounts: 'ClientStats',
    ConnectionLine: 'ProviderClient',
    Lookups: 'LookupBatcher',
  },
  ...{ SharedBudgets: 'DistributedRateLimits', BudgetAsk: 'PermitRequest', BudgetTurn: 'PermitResult' },
  ...{
    BudgetReport: 'PermitRelease',
    thereSince: 'connectedSince',
    toTaken: 'toConsumeResult',
    toPlace: 'toAddressBucket',
  },
  ...{ Gatherer: 'Batcher', Passenger: 'item', uniteWants: 'mergeSelections', SearchWant: 'SearchSelection' },
  ...{ Want: 'FieldSelection', WantedFields: 'SelectedFields', coversFields: 'includesFields' },
  ...{ readContactWant: 'selectContactFields', ODD: 'BAILOUT', unlessOdd: 'unlessBailedOut' },
  ...{
    writeReader: 'generateSerializer',
    readLeaf: 'serializeLeaf',
    toStandIn: 'defaultFor',
    fillIn: 'coerceFields',
  },
  ...{ failAt: 'handleFieldError', CollectedErrors: 'ErrorCollector', RaisedError: 'ExecutionError' },
  ...{ TranslatedError: 'ReportedError', isComplaint: 'isRequestError', cleanMessage: 'redactMessage' },
  ...{
    Measures: 'OperationCost',
    Reckon: 'CostAmount',
    OpenedRequest: 'GraphQLRequest',
    openRequest: 'startRequest',
  },
  ...{
    createKnownDocuments: 'createTrustedOperations',
    createAutomaticDocuments: 'createPersistedOperations',
  },
  ...{
    RemoteAnswer: 'ProviderResponse',
    letGo: 'discardBody',
    Exchange: 'ResponseHandler',
    ContactSource: 'ContactOrigin',
  },
  ...{
    HttpAnswer: 'HttpResponse',
    WrittenJson: 'JsonBytes',
    takeWhole: 'toBuffer',
    LONG_LIST: 'JSON_CHUNK_ITEMS',
  },
  ...{
    createBulkOutput: 'createBufferedOutput',
    toWelcome: 'formatStartupMessage',
    stopOnSignal: 'shutdownOnSignal',
  },
  ...{
    RequestDefaults: 'HeaderDefaults',
    forgetCustomer: 'invalidateCustomer',
  },
  ...{
    OpenedContacts: 'ContactClient',
    FoundContacts: 'SearchResult',
    checkCustomerUpsert: 'validateCustomerUpsert',
  },
  ...{
    nameFilter: 'filterCacheKey',
    toQuestion: 'createCacheKey',
    TokenWish: 'IssueTokenInput',
    LinkWish: 'CreateLinkInput',
  },
  ...{
    GivenUpsert: 'UpsertRow',
    understandFailure: 'classifyError',
    isAway: 'isUnavailable',
    toAway: 'toUnavailable',
  },
  ...{
    SWEEP_SURPLUS: 'EVICT_OVER_QUOTA',
    FORGET_OTHER_KEYS: 'DELETE_STALE_KEYS',
    toMistakes: 'formatIssues',
  },
  ...{
    AnswerFacts: 'ResponseSpec',
    whereGiven: 'mapDefined',
    toVoices: 'createOutput',
    answerJson: 'jsonResponse',
  },
  ...{
    createTimedCache: 'TtlCache',
    SpareTime: 'IdleThrottle',
    KnownCallers: 'CallerCache',
    KnownOrigins: 'OriginCache',
  },
  ...{
    KnownConnections: 'ConnectionCache',
    restoreTexts: 'keepStringMethodsFast',
    CursorSealer: 'Signer',
  },
  ...{ 'graphql/fast': 'graphql/compiled', 'outbound/pace': 'outbound/resilience' },
  ...{ 'outbound/token/': 'outbound/access-token/', 'graphql/http': 'graphql/over-http' },
  ...{
    'From one machine to many': 'Deployment and scaling',
    'Is it well': 'Health checks, metrics and alerts',
  },
  ...{ 'Room for what is new': 'Heap sizing', 'How much for how many': 'Capacity planning' },
  ...{ 'What there is to lose': 'Assets', 'Who might try': 'Threats', 'The walls': 'Mitigations' },
  ...{
    'Finding what happened': 'Request log, error ids and tracing',
    'Known operations only': 'Persisted queries',
  },
};

const ROOT = join(import.meta.dirname, '..');
/** This table; the published client, whose types keep their names; and what is generated. */
const LEFT_OUT = /^test\/words|^src\/client\/|generated\.ts$|node_modules|^bench\/results/;
const files = ['src', 'test', 'bench', 'docs']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((name) => /\.(?:ts|mjs|md)$/.test(name) && !LEFT_OUT.test(name))
  .map((name) => ({ name, lines: readFileSync(join(ROOT, name), 'utf8').split('\n') }));

test('no old word is left in src, test, bench and docs', () => {
  const old = new RegExp(`(?<![\\w$])(${Object.keys(WORDS).join('|')})(?![\\w$])`);
  const left = files.flatMap(({ name, lines }) =>
    lines.flatMap((line, index) => {
      const word = old.exec(line)?.[1];
      return word === undefined ? [] : [`${name}:${index + 1}: ${word} is ${WORDS[word] ?? 'old'}`];
    }),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(left).toEqual([]);
});

/** Each is read by itself: the client is a package of its own, and what imitates a CRM, or speaks to one, has that CRM's words. */
const WORLDS = /^src\/(?:client|sandbox|providers\/\w+)\//;

test('no two files of the product export the same name', () => {
  const homes = new Map<string, string[]>();
  for (const { name: file, lines } of files) {
    if (!file.startsWith('src/') || WORLDS.test(file)) continue;
    const names = lines.flatMap((line) => EXPORTED.exec(line)?.[1] ?? []);
    for (const name of new Set(names)) homes.set(name, [...(homes.get(name) ?? []), file]);
  }
  const twice = [...homes].filter(([, where]) => where.length > 1);
  expect(homes.size).toBeGreaterThan(500);
  expect(twice.map(([name, where]) => `${name}: ${where.join(', ')}`)).toEqual([]);
});

/** What another file needs is found by its `export`, and nothing else is. Tables are read by the tool that writes migrations. */
test('every export of the product is used in another file', () => {
  const found = files
    .filter(({ name }) => name.startsWith('src/') && !/^src\/storage\/(?:connect-)?schema\.ts$/.test(name))
    .flatMap(({ name: file, lines }) =>
      lines.flatMap((line) => {
        const name = EXPORTED.exec(line)?.[1];
        return name === undefined ? [] : [{ file, name }];
      }),
    );
  const homes = new Map<string, Set<string>>();
  for (const { name: file, lines } of files) {
    for (const [word] of lines.join('\n').matchAll(/[\w$]+/g)) {
      const known = homes.get(word);
      if (known) known.add(file);
      else homes.set(word, new Set([file]));
    }
  }
  const alone = found.filter(({ name }) => (homes.get(name)?.size ?? 0) < 2);
  expect(alone.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

const EXPORTED = /^export (?:abstract |async )?(?:function\*?|class|const|interface|type) (\w+)/;
