import type * as z from 'zod';
import { CrossbookError } from '../domain/errors.ts';

/**
 * Checks an input by its schema, and throws BAD_REQUEST with its first mistakes. The words are ours, say what is valid,
 * and never include values, which could be secrets.
 */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  { onlyFirst = false, toWords, toName = toPath }: InputOptions = {},
): z.output<Schema> {
  const options: Options = {
    abortEarly: onlyFirst,
    error: (issue) => toWords?.(issue) ?? describe(issue),
  };
  const parsed = schema.safeParse(input, options);
  if (parsed.success) return parsed.data;
  throw new CrossbookError('BAD_REQUEST', listMistakes(parsed.error.issues, toName));
}

function listMistakes(issues: readonly z.core.$ZodIssue[], toName: NamePath): string {
  const listed: string[] = [];
  let count = 0;
  for (const issue of issues) {
    const room = MAX_MISTAKES - listed.length;
    if (issue.code === 'unrecognized_keys') {
      count += issue.keys.length;
      const keys = issue.keys.slice(0, room);
      for (const [index, key] of keys.entries()) {
        const valid = index === keys.length - 1 ? issue.message : '';
        listed.push(`${toName([...issue.path, key])} is not known${valid}`);
      }
    } else {
      count += 1;
      if (room <= 0) continue;
      // The same sample is of no use twice.
      const isRepeated = listed.some((one) => one.endsWith(issue.message));
      const [brief = ''] = issue.message.split(SAMPLE);
      listed.push(`${toName(issue.path)} ${isRepeated ? brief : issue.message}`);
    }
  }
  const more = count - listed.length;
  return `${listed.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function describe(issue: z.core.$ZodRawIssue): string {
  const isAbsent = issue.input === undefined;
  switch (issue.code) {
    case 'unrecognized_keys':
      return listNames(issue.inst, ': use ');
    case 'invalid_type':
      if (isAbsent) return `is required${listNames(issue.inst, ': an object with ')}`;
      return `must be ${TYPE_WORDS[issue.expected] ?? 'of another type'}${describeObject(issue.inst)}`;
    case 'invalid_value':
      return isAbsent ? 'is required' : `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_union':
      // Discriminated unions list their values.
      return `must be one of: ${listOptions(issue['options'])}`;
    case 'too_big':
      return describeMaximum(issue.origin, issue.maximum);
    case 'too_small':
      return issue.origin === 'string' ? 'must not be empty' : describeMinimum(issue);
    default:
      return 'is not valid';
  }
}

function listOptions(options: unknown): string {
  return Array.isArray(options) ? options.join(', ') : 'the documented forms';
}

function describeMaximum(origin: string, maximum: number | bigint): string {
  if (origin === 'array') return `has more than ${maximum} entries`;
  return `must be at most ${maximum}${origin === 'string' ? ' characters long' : ''}`;
}

function describeMinimum({ origin, minimum }: { origin: string; minimum: number | bigint }) {
  return origin === 'array'
    ? `must have at least ${minimum} ${minimum === 1 ? 'entry' : 'entries'}`
    : `must be at least ${minimum}`;
}

function describeObject(schema: unknown): string {
  const sample = toSample(schema);
  return sample === undefined ? listNames(schema, ' with ') : `${SAMPLE}${JSON.stringify(sample)}`;
}

/** The members that an object may have; empty for other schemas. */
function listNames(schema: unknown, before: string): string {
  const names = Object.keys(readShape(schema) ?? {});
  if (names.length === 0) return '';
  const [last = ''] = names.slice(-1);
  const others = names.slice(0, -1).join(', ');
  return `${before}${others === '' ? '' : `${others} or `}${last}`;
}

/** An object with what it must have; undefined if nothing is required. */
function toSample(schema: unknown): Readonly<Record<string, unknown>> | undefined {
  const required = Object.entries(readShape(schema) ?? {}).filter(
    ([, member]) => !member.safeParse(undefined).success,
  );
  if (required.length === 0) return undefined;
  return Object.fromEntries(required.map(([name, member]) => [name, toSampleValue(member)]));
}

function toSampleValue(schema: z.ZodType): unknown {
  const { examples } = (schema.meta() ?? {}) as { readonly examples?: readonly unknown[] };
  return examples?.[0] ?? toSample(schema) ?? SAMPLES[schema.def.type] ?? '…';
}

const SAMPLES: Readonly<Record<string, unknown>> = { number: 1, boolean: true, array: [] };

function readShape(schema: unknown): Readonly<Record<string, z.ZodType>> | undefined {
  const { shape } = (schema ?? {}) as Partial<z.ZodObject>;
  return shape as Readonly<Record<string, z.ZodType>> | undefined;
}

/** `filter.emails[3]`. Names of unknown members are the client's, so that the path is cut. */
export function toPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`,
    )
    .join('')
    .slice(0, MAX_NAME_LENGTH);
}

const SAMPLE = ', such as ';
const MAX_MISTAKES = 20;
const MAX_NAME_LENGTH = 100;

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

type NamePath = (path: readonly PropertyKey[]) => string;

interface InputOptions {
  /** Whether to end at the first mistake: half a million elements can all be wrong. */
  readonly onlyFirst?: boolean;
  /** Overrides the words of a mistake. */
  toWords?(issue: z.core.$ZodRawIssue): string | undefined;
  /** Names the place of a mistake. */
  readonly toName?: NamePath;
}

/** `abortEarly` ends at the first mistake; zod declares it for its own `validate` only. */
interface Options extends z.core.ParseContext<z.core.$ZodIssue> {
  readonly abortEarly: boolean;
}
