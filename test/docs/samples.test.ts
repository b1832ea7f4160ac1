import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { buildSchema, extendSchema, Kind, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { readSamples, type Sample } from '../support/documents.ts';
import { openRival } from '../support/postgres-rival.ts';

const SCHEMA = buildSchema(readFileSync('schema.graphql', 'utf8'));
/** That of an application with the custom fields of docs/custom-fields.md. */
const TYPED = extendSchema(
  SCHEMA,
  parse(`extend type Contact { custom: ContactCustomFields! }
    type ContactCustomFields { favoriteColor: String jobTitle: String }`),
);
const SUBGRAPH = readFileSync('subgraph.graphql', 'utf8');
const SAMPLES = readSamples();
/** By the language of the fence, and where it is tested. */
const TESTED: Readonly<Record<string, string>> = {
  graphql:
    'here, against the schema; readme.test.ts and guides.test.ts ask it, all/gateways/printed.test.ts composes it',
  json: 'here; what is an answer in readme.test.ts and guides.test.ts, by asking',
  yaml: 'here; all/gateways/printed.test.ts composes and routes by it',
  sql: 'here, on PostgreSQL; sync.test.ts carries out docs/sync.md',
  '': 'here: a map of files',
  http: 'readme.test.ts sends them',
  sh: 'commands.test.ts; whole sections in test/build and test/app',
  console: 'commands.test.ts, test/build/deployment.test.ts',
  ts: 'test/all/clients/printed-code.test.ts, by the compiler; all/build/packages.test.ts, all/gateways/printed.test.ts and packages/*/test/readme.test.ts carry it out',
  js: 'test/all/clients/printed-code.test.ts, by the compiler; guides.test.ts and all/browser/connect-popup.test.ts carry it out, mcp/guide.test.ts that of docs/agents.md, embedding/installed.test.ts those of docs/embedding.md, app/tutorial.test.ts those of docs/tutorial.md',
};

test('every sample is in a language that is tested', () => {
  expect(SAMPLES.length).toBeGreaterThan(30);
  const others = SAMPLES.filter(({ language }) => TESTED[language] === undefined);
  expect(others.map(toAddressBucket)).toEqual([]);
});

test.each(of('graphql'))('the GraphQL of $path:$line is taken', ({ code }) => {
  const document = parse(code);
  const isOperation = document.definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const schema = code.includes('custom {') ? TYPED : SCHEMA;
  if (isOperation) return expect(validate(schema, document)).toEqual([]);
  // Else it is the schema of a neighbour: the keys that it refers to are ours.
  const keys = [...code.matchAll(/type (\w+) [^{]*@key\(fields: "([^"]+)"/g)];
  expect(keys.length).toBeGreaterThan(0);
  for (const [, type, fields] of keys) {
    expect(SUBGRAPH).toMatch(new RegExp(`type ${type}\\b[^{]*@key\\(fields: "${fields}"`));
  }
});

test.each(of('json'))('the JSON of $path:$line is JSON', ({ code }) => {
  expect(JSON.parse(code)).toEqual(expect.any(Object));
});

test.each(of('yaml'))('the YAML of $path:$line is YAML', ({ code }) => {
  for (const { errors, contents } of parseAllDocuments(code)) {
    expect(errors).toEqual([]);
    expect(contents).not.toBeNull();
  }
});

test.each(of(''))('what $path:$line names is there', ({ code }) => {
  const paths = [...code.matchAll(/(?:^|\s{2,}|[↓→] +)((?:src|test|docs|bench)\/\S+)/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test('the map has every folder of src', () => {
  const [map = ''] = of('').map(({ code }) => code);
  const folders = readdirSync('src', { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.filter(({ name }) => !map.includes(`src/${name}/`))).toEqual([]);
});

describe('SQL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test.each(of('sql').filter(({ path }) => path !== 'docs/sync.md'))(
    'of $path:$line is carried out',
    async ({ code }) => {
      const rival = await openRival(database.url);
      // Roles belong to the whole server: nothing of this stays.
      await rival.run('begin');
      await rival.run('create role crossbook_of_documents');
      await rival.run(code.replaceAll('role crossbook ', 'role crossbook_of_documents '));
      await rival.run('rollback');
      await rival.close();
    },
  );
});

function of(wanted: string): readonly Sample[] {
  return SAMPLES.filter(({ language }) => language === wanted);
}

function toAddressBucket({ path, line, language }: Sample): string {
  return `${path}:${line} ${language}`;
}
