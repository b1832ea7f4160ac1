import type { ErrorFacts } from '../../src/domain/errors.ts';
import type { Shape, Type } from '../../src/domain/shape.ts';
import type { Setting } from '../../src/settings.ts';

// What `npm run docs` prints of the code.

export function printErrors(document: string, codes: Readonly<Record<string, ErrorFacts>>): string {
  const rows = Object.entries(codes).map(
    ([code, { status, when }]) => `| ${status} | \`${code}\` | ${when} |`,
  );
  return withTable(document, '| status | code | when |', rows);
}

export function printLimits(
  document: string,
  limits: readonly { readonly counts: string; readonly most: number }[],
): string {
  const rows = limits.map(({ counts, most }) => `| ${counts} | ${most.toLocaleString('en-US')} |`);
  return withTable(document, '| of one GraphQL request | at most |', rows);
}

export function printClientErrors(codes: Readonly<Record<string, ErrorFacts>>): string {
  return `export type ErrorCode =${Object.keys(codes)
    .map((code) => `\n  | '${code}'`)
    .join('')};\n`;
}

/** What the client asks of a contact: all that is declared, and the rest where it is wanted. */
export function printContactFragment({
  fields: { remoteId: _first, ...fields },
}: Shape<unknown>): string {
  const declared = Object.entries(fields).map(
    ([name, { type }]) => `  ${name}${select(type, '  ')}`,
  );
  return `fragment ContactFields on Contact {
  id
  remoteId
  provider
${declared.join('\n')}
  rawData(fields: $rawFields) @include(if: $includeRawData)
  customFields(names: $customFields) @include(if: $includeCustomFields)
  associations(to: $associations) @include(if: $includeAssociations) {
    object
    remoteId
  }
}
`;
}

/** What the client asks of a record of another type. */
export function printRecordFragment({ name, fields }: Shape<unknown>): string {
  const { remoteId: _first, ...others } = fields;
  const declared = Object.entries(others).map(([one, { type }]) => `  ${one}${select(type, '  ')}`);
  return `fragment ${name}Fields on ${name} {
  id
  remoteId
  provider
${declared.join('\n')}
}
`;
}

function select(type: Type, indent: string): string {
  if (type.kind === 'list') return select(type.of, indent);
  if (type.kind !== 'shape') return '';
  const inner = `${indent}  `;
  const names = Object.entries(type.fields).map(
    ([name, field]) => inner + name + select(field.type, inner),
  );
  return ` {\n${names.join('\n')}\n${indent}}`;
}

export function printSettings(settings: readonly Omit<Setting, 'schema'>[]): string {
  const lines = settings.map(({ name, example, words }) => {
    const comment = words && `\n${wrap(words)}\n`;
    return `${comment}# ${name}=${example}\n`;
  });
  return `${ENV_HEAD}${lines.join('')}${ENV_FOOT}`;
}

const ENV_HEAD = `# Every setting of Crossbook. All of them have defaults: an empty environment runs the product with its sandbox.
# Settings are read from the environment, and from the file of --env-file, once, at start; a wrong or unknown CROSSBOOK_* one stops the start.
`;

const ENV_FOOT = `
# The OAuth clients that refresh access tokens, one pair for each provider: CROSSBOOK_<PROVIDER>_CLIENT_ID and _SECRET.
# CROSSBOOK_HUBSPOT_CLIENT_ID=
# CROSSBOOK_HUBSPOT_CLIENT_SECRET=
# CROSSBOOK_SALESFORCE_CLIENT_ID=
# CROSSBOOK_SALESFORCE_CLIENT_SECRET=
`;

function wrap(words: string): string {
  return words.replaceAll(/(?=\S)(.{1,118})(?:\s|$)/g, '# $1\n').trimEnd();
}

/** The document with these rows below the head of their table. */
function withTable(document: string, head: string, rows: readonly string[]): string {
  const start = document.indexOf(head);
  const end = document.indexOf('\n\n', start);
  if (start < 0 || end < 0) throw new Error(`There is no table with the head ${head}`);
  const rule = head.replaceAll(/[^|]+/g, '---');
  return `${document.slice(0, start)}${[head, rule, ...rows].join('\n')}${document.slice(end)}`;
}
