import {
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  TokenKind,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
} from 'graphql';
import { DEFAULT_LIMITS, type Limits } from '../cost/operation-limits.ts';
import { type ToError, toLimitError, withOwnError } from '../limit-error.ts';
import { checkMerging, checkNesting, tooLarge } from './document-limits.ts';
import { createFairCache, type FairCache } from './fair-cache.ts';
import { checkLiterals } from './literals.ts';
import { parseDocument, validateDocument } from './parse.ts';
import { checkFields } from './unknown-fields.ts';

/** The documents of all schemas: bounded by measured bytes including plans, and shared fairly by their owners. */
export function createDocumentCache(): DocumentCache {
  return createFairCache({ maxBytes: MAX_BYTES, maxEntryBytes: MAX_BYTES / 4 });
}

/**
 * Parses and validates documents for one schema, and caches them by text: valid ones that have an owner. The part of
 * the cache is for this schema alone.
 */
export function createDocumentStore(
  schema: GraphQLSchema,
  options: DocumentStoreOptions = {},
  cache = createDocumentCache(),
) {
  const { rules = [], limits = DEFAULT_LIMITS, toError = toLimitError, time = untimed } = options;
  const parsed = new WeakMap<DocumentNode, ParsedDocument>();
  const parseText = options.keepsText ? parse : parseDocument;
  const specified = specifiedRules.map((rule) => BOUNDED.get(rule) ?? rule);
  const allRules = [...specified, ...rules];

  return {
    find,

    /** Throws if the text is invalid or too long. */
    parse(
      text: string,
      owner: string | undefined,
      maxTokens = limits.documentTokens,
    ): FoundDocument {
      const existing = find(text, owner);
      if (existing) return existing;
      const { document, tokens } = withOwnError(toError, () => parseNew(text, maxTokens));
      parsed.set(document, { text, owner, tokens });
      return { document, tokens };
    },

    /** Validates by the specification's rules, those of the options, and these. */
    validate(
      document: DocumentNode,
      rules: readonly ValidationRule[] = specifiedRules,
    ): readonly GraphQLError[] {
      const errors = validateOnce(document);
      if (errors.length > 0 || rules.length <= specifiedRules.length) return errors;
      const added = rules.filter((rule) => !specifiedRules.includes(rule));
      return added.length > 0 ? validateDocument(schema, document, added) : errors;
    },

    /** Accounts for fields that its plans have grown by. */
    addPlan(document: DocumentNode, fields: number): void {
      const known = parsed.get(document);
      if (known) cache.grow(known.text, fields * BYTES_PER_PLANNED_FIELD);
    },

    counts: cache.counts,
    /** Removes its documents from the cache. It still parses and validates, and keeps nothing. */
    close: cache.close,
  };

  /** Finds a cached document, which is valid. */
  function find(text: string, owner: string | undefined): FoundDocument | undefined {
    return owner === undefined ? undefined : cache.get(text);
  }

  function validateOnce(document: DocumentNode): readonly GraphQLError[] {
    const known = parsed.get(document);
    if (known?.validationErrors) return known.validationErrors;
    const errors = time(() => validateDocument(schema, document, allRules));
    if (!known) return errors;
    known.validationErrors = errors;
    const { text, owner, tokens } = known;
    if (owner !== undefined && errors.length === 0)
      cache.set(
        text,
        { document, tokens },
        { owner, bytes: 2 * text.length + tokens * BYTES_PER_TOKEN },
      );
    return errors;
  }

  function parseNew(text: string, maxTokens: number): FoundDocument {
    if (text.length > limits.characters)
      throw tooLarge(`it has more than ${limits.characters} characters`);
    checkNesting(text, limits.nesting);
    const document = time(() => parseText(text, { maxTokens }));
    const tokens = checkTokens(document, limits);
    checkMerging(document, limits);
    return { document, tokens };
  }
}

/** Computes a result once per document and operation name, and keeps it as long as the document. */
export function rememberByOperation<Result>(
  make: (document: DocumentNode, name: string | undefined) => Result,
): typeof make {
  const resultsByDocument = new WeakMap<DocumentNode, Map<string | undefined, Result>>();
  return (document, name) => {
    const results = resultsByDocument.get(document) ?? new Map<string | undefined, Result>();
    const existing = results.get(name);
    if (existing !== undefined) return existing;
    const result = make(document, name);
    resultsByDocument.set(document, results.set(name, result));
    return result;
  };
}

/** The number of tokens. Names are limited because messages of validation repeat them. */
function checkTokens({ loc }: DocumentNode, { nameLength }: Limits): number {
  let count = 0;
  for (let token = loc?.startToken; token; token = token.next ?? undefined) {
    count += 1;
    if (token.kind === TokenKind.NAME && token.value.length > nameLength)
      throw tooLarge(`a name in it has more than ${nameLength} characters`);
  }
  return count;
}

/** Rules of the specification whose work or errors could be as long as a document. */
const BOUNDED: ReadonlyMap<ValidationRule, ValidationRule> = new Map([
  [ValuesOfCorrectTypeRule, checkLiterals],
  [FieldsOnCorrectTypeRule, checkFields],
]);

/** The limit of all documents with their plans. */
const MAX_BYTES = 36 * 1024 * 1024;
/** Measured over fields, strings, lists and objects: a token, its share of AST nodes, and what arguments keep of it. */
const BYTES_PER_TOKEN = 300;
/** Measured including the generated functions. */
const BYTES_PER_PLANNED_FIELD = 1_500;

export type DocumentStore = ReturnType<typeof createDocumentStore>;

export type DocumentCache = FairCache<FoundDocument>;

interface FoundDocument {
  readonly document: DocumentNode;
  readonly tokens: number;
}

/** What is known of a document, without a reference to it: a scavenge would then keep every document. */
interface ParsedDocument {
  readonly text: string;
  /** Whose share of the cache it takes. */
  readonly owner: string | undefined;
  readonly tokens: number;
  /** Set once it was validated. */
  validationErrors?: readonly GraphQLError[];
}

export interface DocumentStoreOptions {
  /** Rules in addition to the specification's. */
  readonly rules?: readonly ValidationRule[] | undefined;
  readonly limits?: Limits | undefined;
  /** Makes the error for an exceeded limit. */
  readonly toError?: ToError | undefined;
  /**
   * Whether documents keep their texts, for servers that create errors again from their nodes. graphql-js then finds the lines
   * of errors, which takes long for many errors in a long document.
   */
  readonly keepsText?: boolean | undefined;
  /** Runs a piece of work that may take milliseconds, and may measure it. */
  readonly time?: (<Result>(work: () => Result) => Result) | undefined;
}

function untimed<Result>(work: () => Result): Result {
  return work();
}
