import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';

/** Documents by their text: parsed once, and validated once. Those that were asked for last are kept. */
export function createPreparedDocuments({ schema, rules, parse }: Options): PreparedDocuments {
  const kept = new Map<string, PreparedDocument>();
  let characters = 0;
  let newest: PreparedDocument | undefined;

  return (text) => {
    const known = kept.get(text);
    if (known && known === newest) return known;
    // A map keeps the order of insertion: what is used again goes to its end.
    if (known) kept.delete(text);
    const prepared = known ?? prepare(text);
    if (text.length > LONGEST) return prepared;
    kept.set(text, prepared);
    newest = prepared;
    if (!known) makeRoom(text.length);
    return prepared;
  };

  function prepare(text: string): PreparedDocument {
    const document = parse(text);
    let errors: readonly GraphQLError[] | undefined;
    return {
      document,
      validate() {
        errors ??= validate(schema, document, [...specifiedRules, ...rules]);
        return errors;
      },
    };
  }

  function makeRoom(added: number): void {
    characters += added;
    for (const oldest of kept.keys()) {
      if (characters <= MAX_CHARACTERS) break;
      kept.delete(oldest);
      characters -= oldest.length;
    }
  }
}

/** A parsed document takes some fifty times the space of its text. */
const MAX_CHARACTERS = 1_000_000;
const LONGEST = MAX_CHARACTERS / 10;

/** Throws where the text is no document. */
export type PreparedDocuments = (text: string) => PreparedDocument;

interface PreparedDocument {
  readonly document: DocumentNode;
  validate(): readonly GraphQLError[];
}

interface Options {
  readonly schema: GraphQLSchema;
  /** Beside those of the specification. */
  readonly rules: readonly ValidationRule[];
  parse(text: string): DocumentNode;
}
