import type * as z from 'zod';
import type { RequestWork } from '../admission/work.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { HttpRequest } from '../lib/http-message.ts';
import { readJson } from '../request/read-json.ts';

/** Reads the parts of a request, and validates them. */
export function readInput<Parts extends InputParts>(
  schema: z.ZodObject<Parts>,
  { request, path }: RoutedRequest,
): z.output<z.ZodObject<Parts>> {
  const { query, body } = schema.shape;
  const given = {
    path: readPath(path),
    query: readQuery(request.url.searchParams, query),
    headers: Object.fromEntries(request.headers),
    body: readBody(request, body.def.type),
  };
  return validateInput(schema, given, request.readBody().length);
}

/**
 * Validates the whole request at once, so that one error lists every mistake. Of a long body it lists
 * the first only, because half a million elements can all be wrong.
 */
export function validateInput<Parts extends InputParts>(
  schema: z.ZodObject<Parts>,
  given: { readonly [Part in keyof InputParts]: unknown },
  bodyLength: number,
): z.output<z.ZodObject<Parts>> {
  const abortEarly = bodyLength > MAX_LISTED_BYTES;
  const options: Options = { reportInput: true, abortEarly, error: toShortMessage };
  const parsed = schema.safeParse(given, options);
  if (parsed.success) return parsed.data;
  throw new CrossbookError('BAD_REQUEST', formatIssues(parsed.error.issues));
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
  const given = new Map<string, string[]>();
  for (const [name, value] of params) {
    const values = given.get(name);
    if (values) values.push(value);
    else given.set(name, [value]);
  }
  return Object.fromEntries(
    [...given].map(([name, values]) => [name, readValue(values, kindOf(schema, name))]),
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
const MAX_MISTAKES = 20;
const MAX_NAME_LENGTH = 100;

/** zod's own message names all unknown fields, of which a body can have a hundred thousand. */
function toShortMessage({ code }: { readonly code: string }): string | undefined {
  return code === 'unrecognized_keys' ? 'has unknown fields' : undefined;
}

/** Formats the first mistakes with their fields. Never includes values, which could be secrets. */
function formatIssues(issues: readonly Issue[]): string {
  const listed: string[] = [];
  let count = 0;
  for (const issue of issues) {
    const room = MAX_MISTAKES - listed.length;
    if (issue.code === 'unrecognized_keys') {
      count += issue.keys.length;
      for (const key of issue.keys.slice(0, room))
        listed.push(`${toName([...issue.path, key])} is not known`);
    } else {
      count += 1;
      if (room > 0) listed.push(`${toName(issue.path)} ${toWords(issue)}`);
    }
  }
  const more = count - listed.length;
  return `${listed.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function toWords(issue: Issue): string {
  if (issue.code === 'invalid_type' || issue.code === 'invalid_value') {
    if (issue.input === undefined) return 'is required';
    if (Array.isArray(issue.input) && issue.path[0] === 'query') return 'is given more than once';
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_union':
      // Discriminated unions list their values.
      return `must be one of: ${('options' in issue && issue.options?.join(', ')) || ''}`;
    case 'too_big':
      return issue.origin === 'array'
        ? `has more than ${issue.maximum} entries`
        : `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters long' : ''}`;
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    default:
      return issue.message;
  }
}

/** The first path segment is the part of the request; fields of the body are named without it. */
function toName([part, ...steps]: readonly PropertyKey[]): string {
  const name = steps
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`,
    )
    .join('')
    .slice(0, MAX_NAME_LENGTH);
  if (part === 'body') return name || 'the body';
  return `${PART_WORDS[String(part)] ?? ''} ${name}`.trim();
}

const PART_WORDS: Readonly<Record<string, string>> = {
  path: 'path parameter',
  query: 'query parameter',
  headers: 'header',
};

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

type Issue = z.core.$ZodIssue;

/** `abortEarly` ends at the first mistake; zod declares it for its own `validate` only. */
interface Options extends z.core.ParseContext<Issue> {
  readonly abortEarly: boolean;
}
