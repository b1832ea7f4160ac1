import type * as z from 'zod';
import { CrossbookError } from '../../domain/errors.ts';
import type { HttpRequest } from '../../lib/http-message.ts';
import type { InputParts } from '../operation.ts';
import { formatIssues } from './format-issues.ts';
import { readJson } from './read-json.ts';
import { readQuery } from './read-query.ts';

/** Checks all of a request at once, so that one answer names every mistake. */
export async function readInput<Parts extends InputParts>(
  schema: z.ZodObject<Parts>,
  { request, path }: RawInput,
): Promise<z.output<z.ZodObject<Parts>>> {
  const { query, body } = schema.shape;
  const parsed = schema.safeParse(
    {
      path: readPath(path),
      query: readQuery(request.url.searchParams, query),
      headers: Object.fromEntries(request.headers),
      body: body.def.type === 'undefined' ? undefined : readJson(request, isOptional(body)),
    },
    { reportInput: true },
  );
  if (parsed.success) return parsed.data;
  throw new CrossbookError('BAD_REQUEST', formatIssues(parsed.error.issues));
}

function isOptional(body: z.ZodType): boolean {
  return body.def.type === 'optional';
}

function readPath(raw: RawInput['path']): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch (cause) {
    throw new CrossbookError('BAD_REQUEST', 'The path is not percent-encoded UTF-8.', { cause });
  }
}

/** A request at the operation that it is for. */
export interface RawInput {
  readonly request: HttpRequest;
  /** The path's parameters, still percent-encoded. */
  readonly path: Readonly<Record<string, string>>;
}
