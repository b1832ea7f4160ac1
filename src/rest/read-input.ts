import type * as z from 'zod';
import type { RequestWork } from '../admission/work.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { HttpRequest } from '../lib/http-message.ts';
import { checkInput, toPath } from '../request/check-input.ts';
import { readJson } from '../request/read-json.ts';

/** Reads the parts of a request, and validates them. */
export function readInput<Parts extends InputParts>(
  schema: z.ZodObject<Parts>,
  { request, path }: RoutedRequest,
): z.output<z.ZodObject<Parts>> {
  const { query, body } = schema.shape;
  const parts = {
    path: readPath(path),
    query: readQuery(request.url.searchParams, query),
    headers: Object.fromEntries(request.headers),
    body: readBody(request, body.def.type),
  };
  return validateInput(schema, parts, request.readBody().length);
}

/**
 * Validates the whole request at once, so that one error lists every mistake. Of a long body it lists
 * the first only, because half a million elements can all be wrong.
 */
export function validateInput<Parts extends InputParts>(
  schema: z.ZodObject<Parts>,
  parts: { readonly [Part in keyof InputParts]: unknown },
  bodyLength: number,
): z.output<z.ZodObject<Parts>> {
  const onlyFirst = bodyLength > MAX_LISTED_BYTES;
  return checkInput(schema, parts, { onlyFirst, toWords: findRepeated, toName });
}

/** A repeated query parameter, which has become a list. */
function findRepeated({ input, path = [] }: z.core.$ZodRawIssue): string | undefined {
  return Array.isArray(input) && path[0] === 'query' ? 'is given more than once' : undefined;
}

/** The four parts of a request. `body` is `z.undefined()` if there is none. */
export type InputParts = {
  readonly path: z.ZodObject;
  readonly query: z.ZodObject;
  readonly headers: z.ZodObject;
  readonly body: z.ZodType;
};

function readPath(raw: RoutedRequest['path']): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(
      Object.entries(raw).map(([name, value]) => [name, decodeURIComponent(value)]),
    );
  } catch (cause) {
    throw new CrossbookError('BAD_REQUEST', 'The path is not percent-encoded UTF-8.', { cause });
  }
}

/** A routed request. */
export interface RoutedRequest {
  readonly request: HttpRequest;
  /** Path parameters, still percent-encoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly work: RequestWork;
}

/** Reads the body as JSON. Undefined if there is none, or an optional one is absent. */
function readBody(request: HttpRequest, type: z.ZodType['def']['type']): unknown {
  if (type === 'undefined') return undefined;
  const isAbsent = request.headers.get('content-type') === null && request.readBody().length === 0;
  if (type === 'optional' && isAbsent) return undefined;
  return readJson(request);
}

/**
 * Converts a query string for validation. Unparsable values stay text, unknown parameters stay in, and repeated ones
 * become a list, so that the schema rejects them by name.
 */
export function readQuery(params: URLSearchParams, schema: z.ZodObject): Record<string, unknown> {
  // `getAll` would scan all parameters per name.
  const valuesByName = new Map<string, string[]>();
  for (const [name, value] of params) {
    const values = valuesByName.get(name);
    if (values) values.push(value);
    else valuesByName.set(name, [value]);
  }
  return Object.fromEntries(
    [...valuesByName].map(([name, values]) => [name, readValue(values, kindOf(schema, name))]),
  );
}

function readValue(values: readonly string[], kind: string | undefined): unknown {
  if (kind === 'array') return values.flatMap((value) => value.split(','));
  const [value = ''] = values;
  if (values.length > 1) return values;
  if (kind === 'number' && /^-?(0|[1-9]\d*)$/.test(value)) return Number(value);
  if (kind === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function kindOf({ shape }: z.ZodObject, name: string): string | undefined {
  if (!Object.hasOwn(shape, name)) return undefined;
  let { def } = shape[name] as z.ZodType;
  while (def.type === 'optional') def = (def as z.ZodOptional<z.ZodType>['def']).innerType.def;
  return def.type;
}

/** The length of a body up to which all of its mistakes are found. */
const MAX_LISTED_BYTES = 8 * 1024;
/** The first path segment is the part of the request; fields of the body are named without it. */
function toName([part, ...steps]: readonly PropertyKey[]): string {
  const name = toPath(steps);
  if (part === 'body') return name || 'the body';
  return `${PART_WORDS[String(part)] ?? ''} ${name}`.trim();
}

const PART_WORDS: Readonly<Record<string, string>> = {
  path: 'path parameter',
  query: 'query parameter',
  headers: 'header',
};
