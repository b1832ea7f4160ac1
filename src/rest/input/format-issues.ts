import type * as z from 'zod';

const MAX_MISTAKES = 20;
const MAX_NAME_LENGTH = 100;

/** All mistakes in plain words, each with its field. Never a value: it could be a secret. */
export function formatIssues(issues: readonly Issue[]): string {
  const mistakes = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${toName([...issue.path, key])} is not known`)
      : [`${toName(issue.path)} ${toWords(issue)}`],
  );
  const more = mistakes.length - MAX_MISTAKES;
  return `${mistakes.slice(0, MAX_MISTAKES).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

function toWords(issue: Issue): string {
  const list = Array.isArray(issue.input);
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      if (list && issue.path[0] === 'query') return 'is given more than once';
      return `must be ${TYPE_WORDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      if (list && issue.path[0] === 'query') return 'is given more than once';
      return `must be one of: ${issue.values.join(', ')}`;
    case 'invalid_union':
      return `must be one of: ${optionsOf(issue).join(', ')}`;
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

/** Discriminated unions say which values they know, although the type of the issue does not. */
function optionsOf(issue: Issue): readonly unknown[] {
  return 'options' in issue && Array.isArray(issue.options) ? issue.options : [];
}

/** The first step says which part of the request it is; fields of the body go by their own names. */
function toName([part, ...steps]: readonly PropertyKey[]): string {
  const name = steps
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`))
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
