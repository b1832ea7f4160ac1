import { expect, test } from 'vitest';
import type * as z from 'zod';
import { OPERATIONS } from '../../src/rest/routes/all.ts';
import type { JsonSchema } from './check-answer.ts';
import { openRest } from './open-rest.ts';

/** The error's names, which the specification writes in upper case. */
const IN_UPPER_CASE = [
  'AssociationError.code',
  'AssociationError.problem_type',
  'Error.code',
  'Error.problem_type',
  'WriteProblem.code',
];

test('every enumeration of the OpenAPI document is in lower case, except the codes of errors and problems', async () => {
  const { document } = await openRest();
  const found = findEnums(document.components.schemas).concat(findEnums(document.paths));
  expect(found.length).toBeGreaterThan(30);
  const upper = found.filter(({ values }) => values.some((value) => value !== value.toLowerCase()));
  const places = upper.map(({ path }) => path.replace('.properties.', '.'));
  expect(places.sort()).toEqual(IN_UPPER_CASE);
});

test('every enumeration of a request is accepted in lower and in upper case', () => {
  const found = OPERATIONS.flatMap(({ id, input }) => findInputEnums(input, id));
  expect(found.length).toBeGreaterThan(12);
  for (const { path, schema, values } of found) {
    for (const value of values) {
      const parsed = schema.safeParse(value);
      expect(parsed.success, `${path}: ${value}`).toBe(true);
      expect(schema.safeParse(value.toUpperCase()), `${path} in upper case`).toEqual(parsed);
    }
  }
});

test('an enumeration in mixed case is refused with the accepted values', async () => {
  const { ask } = await openRest();
  const { status, body } = await ask('GET', '/customers?status=Connected');
  expect(status).toBe(400);
  expect(body.errors[0].detail).toBe(
    'query parameter status must be one of: connected, reauthorize, unauthorized.',
  );
});

function findEnums(schema: unknown, path = ''): { path: string; values: readonly string[] }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const values = (schema as JsonSchema).enum as readonly string[] | undefined;
  const inside = Object.entries(schema).flatMap(([name, member]) =>
    findEnums(member, path === '' ? name : `${path}.${name}`),
  );
  return Array.isArray(values) ? [{ path, values }, ...inside] : inside;
}

/** Each enumeration with the outermost schema that reads it. */
function findInputEnums(schema: z.ZodType, path: string, outer?: z.ZodType): InputEnum[] {
  const { def } = schema as { readonly def: Def };
  if (def.type === 'enum') {
    return [{ path, schema: outer ?? schema, values: (schema as z.ZodEnum).options.map(String) }];
  }
  const within =
    def.type === 'pipe' || (outer && def.type === 'transform') ? (outer ?? schema) : undefined;
  const inner = [def.in, def.out, def.innerType, def.element, ...(def.options ?? [])];
  return [
    ...inner.flatMap((one) => (one ? findInputEnums(one, path, within) : [])),
    ...Object.entries(def.shape ?? {}).flatMap(([name, one]) =>
      findInputEnums(one, `${path}.${name}`),
    ),
  ];
}

interface InputEnum {
  readonly path: string;
  readonly schema: z.ZodType;
  readonly values: readonly string[];
}

/** The parts of zod's definitions that contain schemas. */
interface Def {
  readonly type: string;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
}
