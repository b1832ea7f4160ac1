import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/**
 * What starts processes, or brings libraries that change their own: each file has a process for itself. `npm test` runs
 * neither these nor the LONG ones, and `npm run test:all` runs all.
 */
const ISOLATED = [
  'test/{all,build,cli,clients,embedding,hostile}/**/*.test.ts',
  'test/outbound/memory.test.ts',
  'packages/child-postgres/test/**/*.test.ts',
  'test/limits/sentinel.test.ts',
  'test/sync/{killed,processes}.test.ts',
  'test/app/{alerts,embedding,engine,hostile,jobs-command,webhooks-killed,writes-killed,process,process-tree,replicas,set-clock,shutdown,startup,workers,token-refresh-processes,tutorial,idle-tokens-processes,pooler}.test.ts',
  'test/storage/{credentials-processes,directory,embedded-server,kill,migrations,primary,upsert-processes,versions}.test.ts',
];

/**
 * What computes or waits for more than ten seconds on two cores: random inputs, growth, large records, failing servers.
 * Only `test/conformance` is not here: every change has to keep its promises.
 */
const LONG = [
  'packages/executor/test/{compiled-execution,growth,inputs,to-json-body}.test.ts',
  'test/app/{anomalies,application-deletion,client-text,connect-guide-commands,filters,hidden-fields,paging,read-only-data,readiness,refused-connections,revocation,second-server,write-model,write-problems}.test.ts',
  'test/changed.test.ts',
  'test/docs/{guides,sync}.test.ts',
  'test/graphql/{compiled-execution,estimate,graphiql,growth,pieces,random-operations}.test.ts',
  'test/http/{held-connections,listen}.test.ts',
  'test/providers/{filter-injection,one-time}.test.ts',
  'test/rest/random-requests.test.ts',
  'test/storage/{backup,faulty-server}.test.ts',
  'test/sync/{broken-server,destination,edges,objects,runs,too-large}.test.ts',
  'test/usecases/listings.test.ts',
];

/** `--changed` follows imports. What is read in another way, or serves all tests, makes all of them run. */
const READ_BY_TESTS = [
  '*.{graphql,json,ts}',
  '.env.example',
  '{build,examples,ops,packages,src,test}/**/!(*.ts)',
  'test/support/{administer,build,database-server,machine,report-skipped}.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['build', 'database-server', 'report-skipped'].map(
      (name) => `test/support/${name}.ts`,
    ),
    // Many of them wait for processes and browsers: two files at a time leave a third of two cores idle.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // The independent authorization server of the tests: that it is none for production.
    onConsoleLog: (text) => !text.startsWith('oidc-provider '),
    forceRerunTriggers: READ_BY_TESTS.map((pattern) => `${import.meta.dirname}/${pattern}`),
    projects: [
      // Half of what small files cost is to load what they test, again for each of them.
      toProject({
        name: 'shared',
        isolate: false,
        include: ['{test,packages/*/test}/**/*.test.ts'],
        exclude: [...ISOLATED, ...LONG, '**/node_modules/**'],
      }),
      toProject({ name: 'long', isolate: false, include: LONG }),
      toProject({ name: 'isolated', include: ISOLATED }),
    ],
  },
});

function toProject(test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return {
    resolve: {
      // Two copies of graphql (ESM and CommonJS) would not recognise each other's errors and types.
      alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }],
    },
    test: {
      ...test,
      // Bounds against hanging, and nothing else: no test may pass or fail by how fast the machine is.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: 120_000 } },
    },
  };
}
