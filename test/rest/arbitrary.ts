import { fc } from '../support/fast-check.ts';
import type { JsonSchema, OpenApi, OpenApiOperation } from './check-answer.ts';

/** Requests of an operation as its document describes them: mostly right, and wrong in some places. */
export function arbitraryRequest(document: OpenApi, operation: OpenApiOperation) {
  const content = operation.requestBody?.content['application/json'];
  const place = (where: 'path' | 'query' | 'header') =>
    recordOf(
      operation.parameters
        .filter((one) => one.in === where)
        .map(({ name, schema, required }) => ({ name, value: parameter(schema), required })),
    );
  return fc.record({
    path: place('path'),
    headers: place('header'),
    query: place('query'),
    extra: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, fc.tuple(nasty, nasty)),
    body: content
      ? fc.oneof(
          { weight: 9, arbitrary: spoiled(arbitraryOf(document, content.schema)) },
          { weight: 1, arbitrary: raw },
        )
      : fc.constant(undefined),
  });

  function parameter(schema: JsonSchema) {
    const right = arbitraryOf(document, schema).map((value) =>
      Array.isArray(value) ? value.join(',') : String(value),
    );
    return fc.oneof({ weight: 8, arbitrary: right }, { weight: 1, arbitrary: nasty });
  }
}

/** A value that the schema takes. */
function arbitraryOf(document: OpenApi, schema: JsonSchema): fc.Arbitrary<unknown> {
  const of = (inner: JsonSchema) => arbitraryOf(document, inner);
  if (schema.$ref)
    return of(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum)
    return fc.constantFrom(
      ...schema.enum,
      ...(schema.examples ?? []).flatMap((one) => Array(20).fill(one)),
    );
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return fc.oneof(...variants.map(of));
  if (Array.isArray(schema.type))
    return fc.oneof(...schema.type.map((type: string) => of({ ...schema, type })));
  switch (schema.type) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
        name,
        value: of(field),
        required: schema.required?.includes(name) ?? false,
      }));
      return schema.maxProperties === 1
        ? fc.oneof(...fields.map((field) => recordOf([{ ...field, required: true }])))
        : recordOf(fields);
    }
    case 'array':
      return fc.array(of(schema.items ?? {}), { maxLength: 3 });
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 2_000 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return schema.examples
        ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...schema.examples) }, text)
        : text;
  }
}

/** What may be absent mostly is. */
function recordOf(fields: readonly Field[]): fc.Arbitrary<Record<string, unknown>> {
  const entries = fields.map(({ name, value, required }) =>
    (required ? value : fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, value)).map(
      (one) => [name, one] as const,
    ),
  );
  return fc
    .tuple(...entries)
    .map((made) => Object.fromEntries(made.filter(([, value]) => value !== undefined)));
}

interface Field {
  readonly name: string;
  readonly value: fc.Arbitrary<unknown>;
  readonly required: boolean;
}

/** One value somewhere within replaced by what does not belong there, or one key added. */
function spoiled(right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const spoil = fc.record({
    depth: fc.nat(4),
    pick: fc.nat(20),
    key: nasty,
    value: fc.jsonValue({ maxDepth: 2 }),
  });
  return fc.oneof(
    { weight: 3, arbitrary: right },
    {
      weight: 2,
      arbitrary: fc.tuple(right, spoil).map(([value, one]) => replaceWithin(value, one)),
    },
  );
}

function replaceWithin(
  value: unknown,
  spoil: { depth: number; pick: number; key: string; value: unknown },
): unknown {
  if (spoil.depth === 0 || value === null || typeof value !== 'object') return spoil.value;
  const keys = Object.keys(value);
  const key = spoil.pick % 5 === 0 ? spoil.key : keys[spoil.pick % keys.length];
  if (key === undefined) return spoil.value;
  const inner = replaceWithin((value as Record<string, unknown>)[key], {
    ...spoil,
    depth: spoil.depth - 1,
  });
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === key ? inner : one));
  return Object.fromEntries([...Object.entries(value), [key, inner]]);
}

const nasty = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '',
    ' ',
    '0',
    '-1',
    '1e9',
    'null',
    'true',
    '"1"',
    '*',
    '%00',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);

const text = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'demo',
      'ada@example.com',
      'example.com',
      'https://a.salesforce.example',
    ),
  },
  { weight: 2, arbitrary: fc.emailAddress() },
  { weight: 3, arbitrary: nasty },
);

/** Bodies that are no JSON, or hardly. */
const raw = fc.oneof(
  fc.string().map((value) => Buffer.from(value)),
  fc.uint8Array({ maxLength: 40 }),
  fc.json().map((value) => Buffer.from(value)),
);
