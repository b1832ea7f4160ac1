import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  type ParseOptions,
  parse,
  Source,
  type SourceLocation,
  type ValidationRule,
  validate,
} from 'graphql';

/**
 * Parses a document whose errors are located by `locate`. graphql reads the text from its start for
 * each node of each error, to find the line: many errors in a long document take seconds. So the
 * nodes refer to a source without text, where a position is a column of the first line.
 */
export function parseDocument(text: string, options: ParseOptions): DocumentNode {
  const source = new Source(text);
  const document = parse(source, options);
  texts.set(source, text);
  source.body = '';
  return document;
}

/** Validates a document up to a number of errors. */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): readonly GraphQLError[] {
  return validate(schema, document, rules, { maxErrors: MAX_ERRORS }).map(locate);
}

/** Sets the lines and columns of an error in a document of `parseDocument`. */
export function locate(error: GraphQLError): GraphQLError {
  const { source, positions } = error;
  const starts = source && lineStartsOf(source);
  if (starts && positions)
    Object.assign(error, { locations: positions.map((position) => toLocation(starts, position)) });
  return error;
}

/** The last line that starts at or before the position, by binary search. */
function toLocation(starts: readonly number[], position: number): SourceLocation {
  let line = 0;
  let end = starts.length;
  while (end - line > 1) {
    const middle = (line + end) >> 1;
    if ((starts[middle] ?? 0) <= position) line = middle;
    else end = middle;
  }
  return { line: line + 1, column: position - (starts[line] ?? 0) + 1 };
}

function lineStartsOf(source: Source): readonly number[] | undefined {
  const text = texts.get(source);
  const existing = lineStarts.get(source);
  if (text === undefined || existing) return existing;
  const starts = [0];
  for (const { index, 0: lineEnd } of text.matchAll(LINE_END)) starts.push(index + lineEnd.length);
  lineStarts.set(source, starts);
  return starts;
}

const texts = new WeakMap<Source, string>();
const lineStarts = new WeakMap<Source, readonly number[]>();
const LINE_END = /\r\n|\n|\r/g;
/** Enough to correct a document, and bounded work. */
const MAX_ERRORS = 20;
