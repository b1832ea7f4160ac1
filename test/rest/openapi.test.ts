import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from './check-answer.ts';
import { openRest } from './open-rest.ts';

const { document, rest } = await openRest();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
);
const text = JSON.stringify(document);

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1 by an independent validator', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    const broken = { ...JSON.parse(text), paths: { '/x': { get: { responses: { 200: {} } } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });

  test('lists the statuses of the specification', () => {
    const statusesOf = (name: string) =>
      Object.keys(operations.find((one) => one.name === name)?.operation.responses ?? {});
    const common = ['200', '400', '401', '403', '404', '409', '422', '500', '501'];
    expect(statusesOf('post /contacts/_search')).toEqual(
      expect.arrayContaining([...common, '499']),
    );
    expect(statusesOf('put /customers')).toEqual(expect.arrayContaining(common));
    expect(statusesOf('put /customers')).not.toContain('499');
  });

  test('descriptions name fields as REST does', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    const names = [...text.matchAll(/`([a-z]+(?:[A-Z][A-Za-z0-9]*)+)`/g)].map(([, name]) => name);
    expect(names.filter((name) => !ids.includes(name ?? ''))).toEqual([]);
    expect(text).toContain('`mapping_problems`');
  });

  test('does not say that a token only reads, because can_write exists', () => {
    expect(text).toContain('can_write');
    expect(text).not.toMatch(/can only read/i);
  });

  test('every reference is valid, and every component is referenced', () => {
    const refs = new Set(
      [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)].map(([, ...at]) => at.join('/')),
    );
    const { schemas, responses } = document.components;
    const there = [
      ...Object.keys(schemas).map((name) => `schemas/${name}`),
      ...Object.keys(responses).map((name) => `responses/${name}`),
    ];
    expect([...refs].sort()).toEqual(there.sort());
  });

  test.each(operations)('$name describes every parameter', ({ operation }) => {
    for (const { description } of operation.parameters) expect(description).toMatch(/\w/);
  });

  test.each(Object.entries(document.components.schemas))(
    '%s describes every field',
    (name, schema) => {
      expect(findUndescribed(schema, name)).toEqual([]);
    },
  );

  test('every example matches its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ ...document, $id: 'https://crossbook.test/examples.json' });
    const contents = [
      ...operations.flatMap(({ operation }) => [operation.requestBody, operation.responses['200']]),
      ...Object.values(document.components.responses),
    ].flatMap((one) => one?.content?.['application/json'] ?? []);
    expect(contents.length).toBeGreaterThan(15);
    for (const { schema, example } of contents) {
      const validate = ajv.compile({ $ref: `https://crossbook.test/examples.json${schema.$ref}` });
      expect(validate(example), `${schema.$ref}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  });

  test('needs no key, and gets 304 while it is unchanged', async () => {
    const ask = (headers: Record<string, string>) =>
      rest.fetch(new Request('http://localhost/openapi.json', { headers }));
    const first = await ask({});
    expect(first.status).toBe(200);
    expect((await ask({ 'if-none-match': first.headers.get('etag') ?? '' })).status).toBe(304);
  });
});

/** A field may leave its description to the component that it refers to. */
function findUndescribed(schema: JsonSchema, path: string): string[] {
  const fields = Object.entries(schema.properties ?? {});
  const silent = fields
    .filter(([, field]) => !field.description && !field.$ref)
    .map(([name]) => `${path}.${name}`);
  const inner = [
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
    ...(schema.items ? [schema.items] : []),
  ];
  return [
    ...silent,
    ...fields.flatMap(([name, field]) => findUndescribed(field, `${path}.${name}`)),
    ...inner.flatMap((one) => findUndescribed(one, path)),
  ];
}
