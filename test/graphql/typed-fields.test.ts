import { createHash } from 'node:crypto';
import { useResponseCache } from '@envelop/response-cache';
import {
  buildClientSchema,
  getIntrospectionQuery,
  graphql,
  isObjectType,
  type ObjectTypeDefinitionNode,
  parse,
  validateSchema,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NO_CUSTOM_FIELDS } from '../../src/domain/custom-fields.ts';
import { createCallerSchemas } from '../../src/graphql/caller-schemas.ts';
import { printApiSchema, printSubgraphSchema } from '../../src/graphql/print-schema.ts';
import { entitySchema } from '../../src/graphql/schema.ts';
import { createSubgraphs, toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { nastyText } from '../providers/salesforce/nasty-text.ts';
import { fc, toPieces } from '../support/fast-check.ts';
import {
  ALPHA_FIELDS,
  ALPHA_TYPES,
  ALPHA_VALUES,
  BETA_FIELDS,
  BETA_TYPES,
  BETA_VALUES,
} from '../support/two-schemas.ts';
import { createTestServer, type TestServer } from './test-server.ts';

const TARGET = { 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
const KEY = { 'x-api-key': 'demo-key', ...TARGET };
const TOKEN = { authorization: 'Bearer demo-token', 'x-provider-name': 'hubspot' };
const OTHER = { 'x-api-key': 'other-key', ...TARGET };

/** The callers, in an order in which each comes after each other one. */
const CALLERS = [
  { caller: 'alpha’s key', headers: KEY, whose: 'alpha' },
  { caller: 'beta’s key', headers: OTHER, whose: 'beta' },
  { caller: 'nobody', headers: {}, whose: 'nobody' },
  { caller: 'alpha’s token', headers: TOKEN, whose: 'alpha' },
  { caller: 'nobody', headers: {}, whose: 'nobody' },
  { caller: 'beta’s key', headers: OTHER, whose: 'beta' },
  { caller: 'alpha’s key', headers: KEY, whose: 'alpha' },
] as const;

const SET = `mutation ($input: SetCustomFieldDefinitionsInput!) {
  setCustomFieldDefinitions(input: $input) { customFieldDefinitions { version typedSchema } }
}`;
const declare = async (
  server: TestServer,
  headers: Record<string, string>,
  fields: readonly object[],
  typedSchema = true,
) => {
  const { data, errors } = await server.execute(
    SET,
    { input: { definitions: fields, typedSchema } },
    headers,
  );
  expect(errors).toBeUndefined();
  expect(data.setCustomFieldDefinitions.customFieldDefinitions.typedSchema).toBe(typedSchema);
};

const UPSERT = `mutation { upsertCustomer(input: {
  customerId: "demo", name: "D", email: "d@example.com", connections: [{ provider: HUBSPOT }]
}) { created } }`;

const open = async (options: Parameters<typeof createTestServer>[0] = {}) => {
  const server = await createTestServer(options);
  await server.execute(UPSERT, {}, OTHER);
  await declare(server, KEY, ALPHA_FIELDS);
  await declare(server, OTHER, BETA_FIELDS);
  return server;
};

const search = (selection: string) =>
  `{ searchContacts(filter: { email: "ada@example.com" }) { nodes { ${selection} } } }`;
const selectionOf = (values: object) => `custom { ${Object.keys(values).join(' ')} }`;

let server: TestServer;
beforeEach(async () => {
  server = await open();
});
afterEach(() => server.close());

/** Sends an operation as it is; without headers as an unauthenticated client. */
const ask = async (
  operation: object | string,
  headers: Record<string, string> = {},
  on: TestServer = server,
) => {
  const body = typeof operation === 'string' ? { query: operation } : operation;
  // biome-ignore lint/suspicious/noExplicitAny: each test defines the response of its operation.
  return (await (await on.post(body, headers)).json()) as any;
};
const read = async (selection: string, headers: Record<string, string>) => {
  const { data, errors } = await ask(search(selection), headers);
  expect(errors).toBeUndefined();
  return data.searchContacts.nodes[0].custom;
};

/** Nothing that an application has declared is in the response of another one. */
const expectNothingOfOthers = (whose: string, response: unknown) => {
  const text = JSON.stringify(response);
  if (whose !== 'alpha') expect(text).not.toMatch(/alpha/i);
  if (whose !== 'beta') expect(text).not.toMatch(/beta/i);
  if (whose === 'nobody') expect(text).not.toMatch(/ContactCustomFields/);
};

describe('a typed schema', () => {
  test('has a nullable field of its type for each custom field, with the words of the application', async () => {
    for (const [headers, types] of [
      [KEY, ALPHA_TYPES],
      [TOKEN, ALPHA_TYPES],
      [OTHER, BETA_TYPES],
    ] as const) {
      const schema = buildClientSchema((await ask(getIntrospectionQuery(), headers)).data);
      expect(validateSchema(schema)).toEqual([]);
      const type = schema.getType('ContactCustomFields');
      const fields = isObjectType(type) ? type.getFields() : {};
      const typeNames = Object.entries(fields).map(([name, { type }]) => [name, String(type)]);
      expect(Object.fromEntries(typeNames)).toEqual(types);
      for (const [name, { description }] of Object.entries(fields))
        expect(description).toMatch(new RegExp(`^(Alpha|Beta) says """hello""" of ${name}\\.$`));
      const contact = schema.getType('Contact');
      const custom = isObjectType(contact) ? contact.getFields()['custom'] : undefined;
      expect(String(custom?.type)).toBe('ContactCustomFields!');
    }
  });

  test('has the values of its types, for a key and for a customer’s token', async () => {
    for (let round = 0; round < 2; round += 1) {
      expect(await read(selectionOf(ALPHA_VALUES), KEY)).toEqual(ALPHA_VALUES);
      expect(await read(selectionOf(BETA_VALUES), OTHER)).toEqual(BETA_VALUES);
      expect(await read(selectionOf(ALPHA_VALUES), TOKEN)).toEqual(ALPHA_VALUES);
    }
  });

  test('selects the custom fields that the CRM is asked for, through aliases, fragments and conditions', async () => {
    const requested = async (query: string, variables: object = {}) => {
      server.calls.splice(0);
      const { data, errors } = await server.execute(query, variables, KEY);
      expect(errors).toBeUndefined();
      const names = server.calls.map(({ selection }) => selection?.customFields?.names);
      return { names, data };
    };
    expect(
      (await requested(search('custom { a: alphaColor b: alphaColor alphaSize }'))).names,
    ).toEqual([['alphaColor', 'alphaSize']]);
    expect((await requested(search('custom { __typename }'))).data.searchContacts.nodes).toEqual([
      { custom: { __typename: 'ContactCustomFields' } },
    ]);
    const fragments = `query ($with: Boolean!) {
      searchContacts(filter: { email: "ada@example.com" }) {
        edges { node { ...C custom @include(if: $with) { alphaVip } } }
      }
    }
    fragment C on Contact { custom { ...F } }
    fragment F on ContactCustomFields { alphaBorn alphaMet @skip(if: $with) }`;
    expect((await requested(fragments, { with: true })).names).toEqual([['alphaBorn', 'alphaVip']]);
    expect((await requested(fragments, { with: false })).names).toEqual([
      ['alphaBorn', 'alphaMet'],
    ]);
    const both = 'custom { alphaSize } customFields(names: $names)';
    const withNames = search(both).replace('{', 'query ($names: [String!]) {');
    const found = await requested(withNames, { names: ['alphaColor'] });
    expect(found.names).toEqual([['alphaSize', 'alphaColor']]);
    expect(found.data.searchContacts.nodes).toEqual([
      { custom: { alphaSize: 17 }, customFields: { alphaColor: 'violet' } },
    ]);
    expect((await requested(withNames, {})).names[0]).toHaveLength(ALPHA_FIELDS.length);
    expect((await requested(search('firstName'))).names).toEqual([undefined]);
  });

  test('is also that of nodes, of connections, and of references', async () => {
    const { data: found } = await server.execute(search('id remoteId'), {}, KEY);
    const { id, remoteId } = found.searchContacts.nodes[0];
    const query = `query ($id: ID!, $references: [_Any!]!) {
      node(id: $id) { ... on Contact { custom { alphaColor } } }
      _entities(representations: $references) {
        ... on Contact { custom { alphaSize } }
        ... on ContactsByEmail { contacts { custom { alphaVip } } }
      }
      customer { connections { searchContacts(filter: { email: "ada@example.com" }) { nodes { custom { alphaTags } } } } }
    }`;
    const key = { customerId: 'demo', provider: 'HUBSPOT' };
    const references = [
      { __typename: 'Contact', ...key, remoteId },
      { __typename: 'ContactsByEmail', ...key, email: 'ada@example.com' },
    ];
    const { data } = await server.execute(query, { id, references }, KEY);
    expect(data.node).toEqual({ custom: { alphaColor: 'violet' } });
    expect(data._entities).toEqual([
      { custom: { alphaSize: 17 } },
      { contacts: [{ custom: { alphaVip: true } }] },
    ]);
    expect(data.customer.connections[0].searchContacts.nodes).toEqual([
      { custom: { alphaTags: ['B', 'A'] } },
    ]);
  });

  test('is the common one without custom fields, without `typedSchema`, and where the setting is off', async () => {
    const query = search('custom { alphaColor }');
    const expectCommon = async (on: TestServer) => {
      const { errors } = await ask(query, KEY, on);
      expect(errors[0].message).toContain('Cannot query field "custom" on type "Contact"');
      const { data } = await ask('{ __type(name: "ContactCustomFields") { name } }', KEY, on);
      expect(data.__type).toBeNull();
    };
    expect((await ask(query, KEY)).errors).toBeUndefined();
    await declare(server, KEY, ALPHA_FIELDS, false);
    await expectCommon(server);
    await declare(server, KEY, []);
    await expectCommon(server);
    const { data, errors } = await server.execute(
      SET,
      { input: { definitions: ALPHA_FIELDS } },
      KEY,
    );
    expect(errors).toBeUndefined();
    expect(data.setCustomFieldDefinitions.customFieldDefinitions.typedSchema).toBe(false);
    const off = await open({ typedFields: false });
    try {
      await expectCommon(off);
    } finally {
      await off.close();
    }
  });

  test('has types with the prefix', async () => {
    const prefixed = await createTestServer({ typePrefix: 'Crm_' });
    try {
      const set = SET.replace(
        'SetCustomFieldDefinitionsInput',
        'Crm_SetCustomFieldDefinitionsInput',
      );
      const input = { definitions: ALPHA_FIELDS, typedSchema: true };
      await prefixed.execute(set, { input }, KEY);
      const { data } = await ask(search('custom { __typename alphaColor }'), KEY, prefixed);
      expect(data.searchContacts.nodes[0].custom).toEqual({
        __typename: 'Crm_ContactCustomFields',
        alphaColor: 'violet',
      });
      const { data: service } = await ask('{ _service { sdl } }', KEY, prefixed);
      expect(service._service.sdl).toMatch(
        /type Crm_Contact [^}]*custom: Crm_ContactCustomFields!/,
      );
    } finally {
      await prefixed.close();
    }
  });

  test('with 200 custom fields and long descriptions can be introspected by tools', async () => {
    const fields = Array.from({ length: 200 }, (_, index) => ({
      ...ALPHA_FIELDS[index % 6],
      name: `alpha${index}`,
      description: 'x'.repeat(500),
    }));
    await declare(server, KEY, fields);
    for (const headers of [KEY, TOKEN]) {
      const { data, errors } = await ask(
        getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }),
        headers,
      );
      expect(errors).toBeUndefined();
      const type = buildClientSchema(data).getType('ContactCustomFields');
      expect(Object.keys(isObjectType(type) ? type.getFields() : {})).toHaveLength(200);
    }
    const sdl = (await ask('{ _service { sdl } }', KEY)).data._service.sdl;
    expect(sdl).toContain('alpha199: ');
  });
});

describe('two applications with custom fields see nothing of each other', () => {
  test.each([
    [
      'introspection of tools, whose response is kept for the common schema',
      getIntrospectionQuery(),
    ],
    [
      'introspection by hand',
      '{ __schema { types { name description fields { name type { name } } } } }',
    ],
    [
      'one type',
      '{ __type(name: "ContactCustomFields") { fields { name description type { name } } } }',
    ],
    ['the SDL for gateways', '{ _service { sdl } }'],
  ])('in %s', async (_what, query) => {
    for (const { headers, whose } of CALLERS) {
      const response = await ask(query, headers);
      expect(response.errors).toBeUndefined();
      expectNothingOfOthers(whose, response);
      if (whose !== 'nobody') expect(JSON.stringify(response)).toContain(`${whose}Color`);
    }
  });

  test.each([
    ['a field that is like one of the other', search('custom { alphaColr betaColr }')],
    ['a field of alpha', search('custom { alphaColor }')],
    ['a field of beta', search('custom { betaColor }')],
    ['a type that is like the one', `{ __typename } fragment F on ContactCustomField { alpha }`],
    ['a custom field by name', search('customFields(names: ["gamma"])')],
  ])('in errors and their suggestions: %s', async (_what, query) => {
    const sent = new Set(query.match(/(alpha|beta)\w*/gi));
    for (const { headers, whose } of CALLERS.filter(({ whose }) => whose !== 'nobody')) {
      const response = JSON.stringify(await ask(query, headers));
      const names = new Set(response.match(/(alpha|beta)[A-Z]\w*/g));
      for (const name of names) {
        const isOwn = name.startsWith(whose);
        expect(isOwn || sent.has(name), `${whose} is told of ${name}`).toBe(true);
      }
    }
  });

  test('in suggestions, which are those of its own', async () => {
    const { errors } = await ask(search('custom { alphaColr }'), KEY);
    expect(errors[0].message).toContain('Did you mean "alphaColor"');
    const { errors: others } = await ask(search('custom { alphaColr }'), OTHER);
    expect(others[0].message).not.toContain('alphaColor');
    const { errors: untyped } = await ask(search('custom { x }'), {});
    expect(untyped[0].extensions.code).toBe('UNAUTHORIZED');
  });

  test('in documents and plans: one text has the types of each', async () => {
    const query = search('custom { shared }');
    for (const { headers, whose } of [...CALLERS, ...CALLERS]) {
      const { data, errors } = await ask(query, headers);
      if (whose === 'nobody') expect(errors[0].extensions.code).toBe('UNAUTHORIZED');
      else
        expect(data.searchContacts.nodes[0].custom).toEqual({
          shared: whose === 'alpha' ? 17 : ['17'],
        });
    }
  });

  test('in documents that one of them has had validated', async () => {
    const query = search('custom { alphaColor }');
    for (const { headers, whose } of [...CALLERS, ...CALLERS]) {
      const { errors } = await ask(query, headers);
      if (whose === 'alpha') expect(errors).toBeUndefined();
      else expect(errors).toHaveLength(1);
    }
  });

  test('in the cost of one text', async () => {
    const costs = new Map<string, Set<number>>();
    const charged: number[] = [];
    server.services.charge = async (_log, _caller, cost) => void charged.push(cost);
    for (const { headers, whose } of [...CALLERS, ...CALLERS]) {
      if (whose === 'nobody') continue;
      charged.splice(0);
      await ask(search('custom { shared }'), headers);
      costs.set(whose, (costs.get(whose) ?? new Set()).add(charged[0] ?? 0));
    }
    const [alpha = [], beta = []] = ['alpha', 'beta'].map((whose) => [...(costs.get(whose) ?? [])]);
    expect([alpha.length, beta.length]).toEqual([1, 1]);
    // A list of choices costs more than a number.
    expect(beta[0]).toBeGreaterThan(alpha[0] ?? Number.NaN);
  });

  test('in persisted operations', async () => {
    const query = search('custom { alphaColor }');
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    expect((await ask({ query, extensions }, KEY)).errors).toBeUndefined();
    expect((await ask({ extensions }, OTHER)).errors[0].extensions.code).toBe(
      'PERSISTED_QUERY_NOT_FOUND',
    );
    expect((await ask({ query, extensions }, OTHER)).errors[0].message).toContain('alphaColor');
    expect((await ask({ extensions }, OTHER)).errors[0].message).toContain('Cannot query field');
    expect((await ask({ extensions }, TOKEN)).errors).toBeUndefined();
  });

  test('in trusted documents', async () => {
    const texts = [search('custom { alphaColor }'), search('custom { shared }'), SET, UPSERT];
    const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
    const operations = new Map(texts.map((text) => [hashOf(text), text]));
    const trusted = await open({ operations });
    try {
      const send = (text: string, headers: Record<string, string>) =>
        ask({ documentId: hashOf(text) }, headers, trusted);
      const [ofAlpha = '', ofBoth = ''] = texts;
      for (let round = 0; round < 2; round += 1) {
        expect((await send(ofAlpha, KEY)).errors).toBeUndefined();
        expect((await send(ofAlpha, OTHER)).errors).toHaveLength(1);
        const values = await Promise.all([KEY, OTHER].map((headers) => send(ofBoth, headers)));
        expect(values.map(({ data }) => data.searchContacts.nodes[0].custom.shared)).toEqual([
          17,
          ['17'],
        ]);
      }
    } finally {
      await trusted.close();
    }
  });

  test('in cached contacts', async () => {
    const query = search('custom { shared }').replace('com" }', 'com" }, readFromCache: true');
    for (const { headers, whose } of [...CALLERS, ...CALLERS]) {
      if (whose === 'nobody') continue;
      const { data } = await ask(query, headers);
      expect(data.searchContacts.nodes[0].custom.shared).toEqual(whose === 'alpha' ? 17 : ['17']);
    }
  });

  test('in a batch', async () => {
    const query = search('custom { shared }');
    const [alpha, beta] = await Promise.all(
      [KEY, OTHER].map((headers) => ask([{ query }, { query }], headers)),
    );
    expect(alpha[1].data.searchContacts.nodes[0].custom).toEqual({ shared: 17 });
    expect(beta[1].data.searchContacts.nodes[0].custom).toEqual({ shared: ['17'] });
  });

  test('in many requests at once', async () => {
    const query = search('custom { shared }');
    const asked = Array.from({ length: 40 }, (_, index) => CALLERS[index % CALLERS.length]);
    const responses = await Promise.all(
      asked.map(async (one) => [one?.whose, await ask(query, one?.headers)] as const),
    );
    for (const [whose, { data, errors }] of responses) {
      if (whose === 'nobody') expect(errors[0].extensions.code).toBe('UNAUTHORIZED');
      else
        expect(data.searchContacts.nodes[0].custom.shared).toEqual(whose === 'alpha' ? 17 : ['17']);
    }
  });
});

describe('plugins of an embedding application', () => {
  const withPlugins = async (
    plugins: Record<string, Plugin>,
    run: (on: TestServer) => Promise<void>,
  ) => {
    const own = await open({ plugins });
    try {
      await run(own);
    } finally {
      await own.close();
    }
  };

  test('see the schema of the caller, and still may not replace it', async () => {
    const seen: (string | undefined)[] = [];
    const plugin: Plugin = {
      onExecute({ args }) {
        const type = args.schema.getType('ContactCustomFields');
        seen.push(isObjectType(type) ? Object.keys(type.getFields())[0] : undefined);
      },
    };
    await withPlugins({ plugin }, async (own) => {
      seen.splice(0);
      for (const { headers } of CALLERS) await ask('{ __typename }', headers, own);
      expect(seen).toEqual(
        CALLERS.map(({ whose }) => (whose === 'nobody' ? undefined : `${whose}Color`)),
      );
    });
    const foreign = toSubgraph(entitySchema);
    const replacing: Plugin = { onEnveloped: ({ setSchema }) => setSchema(foreign) };
    const refused = await createTestServer({ plugins: { replacing } });
    try {
      const { errors } = await ask('{ __typename }', KEY, refused);
      expect(errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
    } finally {
      await refused.close();
    }
  });

  test('may not put the schema of one application in place of another’s', async () => {
    const seen: Parameters<NonNullable<Plugin['onEnveloped']>>[0]['setSchema'][] = [];
    let taken: unknown;
    const plugin: Plugin = {
      onExecute({ args }) {
        if (args.schema.getType('ContactCustomFields')) taken ??= args.schema;
      },
      onEnveloped({ setSchema }) {
        seen.push(setSchema);
        if (taken) setSchema(taken);
      },
    };
    await withPlugins({ plugin }, async (own) => {
      await ask(search('custom { alphaColor }'), KEY, own);
      const { data, errors } = await ask(search('custom { betaColor }'), OTHER, own);
      expect(data).toBeUndefined();
      expect(errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
      expectNothingOfOthers('beta', errors);
    });
    expect(seen.length).toBeGreaterThan(0);
  });

  test('such as a response cache keep apart what they keep', async () => {
    const cache = useResponseCache({
      session: (context) =>
        (context as { caller?: { application: { id: string } } }).caller?.application.id ?? null,
      ttl: 60_000,
    }) as Plugin;
    await withPlugins({ cache }, async (own) => {
      const query = search('id custom { shared }');
      for (let round = 0; round < 3; round += 1)
        for (const [headers, shared] of [
          [KEY, 17],
          [OTHER, ['17']],
        ] as const) {
          const { data } = await ask(query, headers, own);
          expect(data.searchContacts.nodes[0].custom.shared).toEqual(shared);
        }
    });
  });
});

describe('a change of the declaration', () => {
  test('is that of the next request, and an operation that was validated before ends with what it was validated against', async () => {
    let hold: Promise<void> | undefined;
    let reached = () => {};
    const gate: Plugin = {
      async onExecute() {
        const held = hold;
        hold = undefined;
        reached();
        await held;
      },
    };
    const gated = await open({ plugins: { gate } });
    try {
      const query = search('custom { shared alphaColor }');
      const arrived = new Promise<void>((resolve) => {
        reached = resolve;
      });
      let release = () => {};
      hold = new Promise((resolve) => {
        release = resolve;
      });
      const before = ask(query, KEY, gated);
      await arrived;
      const [first] = ALPHA_FIELDS;
      await declare(gated, KEY, [{ ...first, name: 'shared' }]);
      expect((await ask(query, KEY, gated)).errors[0].message).toContain('alphaColor');
      const after = await ask(search('custom { shared }'), KEY, gated);
      expect(after.data.searchContacts.nodes[0].custom).toEqual({ shared: 'violet' });
      release();
      expect((await before).data.searchContacts.nodes[0].custom).toEqual({
        shared: 17,
        alphaColor: 'violet',
      });
    } finally {
      await gated.close();
    }
  });

  test('of sources alone needs no new schema', async () => {
    const { schemas, find } = openSchemas();
    const first = await find('one', ALPHA_FIELDS);
    expect(
      await find(
        'one',
        ALPHA_FIELDS.map((field) => ({ ...field, sources: [] })),
      ),
    ).toBe(first);
    expect(await find('one', BETA_FIELDS)).not.toBe(first);
    expect(schemas.counts().schemas).toBe(1);
  });
});

function openSchemas(maxBytes?: number) {
  const makeSchema = createSubgraphs(entitySchema);
  const schema = makeSchema();
  const closed: string[] = [];
  const executor = { forSchema: () => ({ close: () => closed.push('closed') }) } as never;
  const common = { schema, executor, introspection: undefined };
  const schemas = createCallerSchemas({
    common,
    makeSchema,
    ...(maxBytes !== undefined && { maxBytes }),
  });
  const find = (id: string, fields: readonly object[]) =>
    schemas.find({
      caller: { application: { id, name: id }, credentialId: id },
      loadCustomFields: () => ({
        ...NO_CUSTOM_FIELDS,
        CONTACT: { record: 'CONTACT', version: 1, definitions: fields, typedSchema: true },
      }),
    } as never);
  return { schemas, find, closed };
}

test('typed schemas are kept within a limit of bytes: the least recently used one goes, with its documents', async () => {
  const { schemas: measured, find: measure } = openSchemas();
  await measure('one', BETA_FIELDS);
  const { bytes } = measured.counts();
  const { schemas, find, closed } = openSchemas(3.5 * bytes);
  const [one, two] = [await find('one', BETA_FIELDS), await find('two', BETA_FIELDS)];
  await find('three', BETA_FIELDS);
  expect(await find('one', BETA_FIELDS)).toBe(one);
  expect(closed).toEqual([]);
  await find('four', BETA_FIELDS);
  expect(schemas.counts()).toEqual({ schemas: 3, bytes: 3 * bytes });
  expect(closed).toEqual(['closed']);
  expect(await find('one', BETA_FIELDS)).toBe(one);
  expect(await find('two', BETA_FIELDS)).not.toBe(two);
});

test.each(toPieces(40))(
  'any description is in the schema and in the SDL as the application has written it (seed $seed)',
  async ({ seed, numRuns }) => {
    const makeSchema = createSubgraphs(entitySchema);
    const text = fc
      .oneof(nastyText, fc.string({ unit: 'grapheme' }))
      .map((given) => given.replace(/\p{Surrogate}|\0/gu, '').trim())
      .filter((given) => given !== '');
    await fc.assert(
      fc.asyncProperty(text, async (description) => {
        const customFields = {
          CONTACT: [{ ...ALPHA_FIELDS[0], description, customersMayMap: true }],
        } as never;
        const schema = makeSchema(customFields);
        const { data } = await graphql({ schema, source: '{ _service { sdl } }' });
        const sdl = (data as { _service: { sdl: string } })._service.sdl;
        for (const printed of [sdl, printApiSchema({ customFields })]) {
          const found = parse(printed).definitions.find(
            (node) => 'name' in node && node.name?.value === 'ContactCustomFields',
          ) as ObjectTypeDefinitionNode;
          // A line break within a text has one form in GraphQL.
          expect(found.fields?.[0]?.description?.value.replace(/\r\n?/g, '\n')).toBe(
            description.replace(/\r\n?/g, '\n'),
          );
        }
      }),
      { numRuns, seed },
    );
  },
);

test('the printed schemas are those that are served', async () => {
  const { data } = await ask('{ _service { sdl } }', KEY);
  const customFields = { CONTACT: ALPHA_FIELDS } as never;
  expect(printSubgraphSchema({ customFields })).toBe(data._service.sdl);
  const printed = parse(printApiSchema({ customFields }));
  const names = printed.definitions.map((node) => ('name' in node ? node.name?.value : ''));
  expect(names).toEqual(expect.arrayContaining(['ContactCustomFields', 'Date']));
  expect(data._service.sdl).toMatch(/alphaTags: \[String!\] @listSize\(assumedSize: 5\)/);
});

test('the SDL of a typed schema is printed once for all aliases of a request', async () => {
  const schema = createSubgraphs(entitySchema)({ CONTACT: ALPHA_FIELDS } as never);
  const resolve = schema.getQueryType()?.getFields()['_service']?.resolve as () => object;
  const first = resolve();
  // Nothing is collected within one piece of work.
  for (let n = 0; n < 100; n += 1) expect(resolve()).toBe(first);
});
