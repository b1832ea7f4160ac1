import type { Row, Step } from './row.ts';

/** The rows as a document: the promise, the request that verifies it, and where the product deviates. */
export function printTable({ SPECIFICATION, CONTRACT }: Rows): string {
  return `# Promises

What the specification of the REST API and the contract of the product promise, and how each promise is tested. The rows are
in \`spec\` and \`contract\`; \`npm run conformance\` prints this page, and a test fails when it is out of date. Numbers with § are of the contract.

| part | promises | kept | differ |
|---|---|---|---|
${toCount('specification', SPECIFICATION)}
${toCount('contract', CONTRACT)}

## The specification

${toTable(SPECIFICATION)}

## The contract

${toTable(CONTRACT)}
`;
}

function toCount(part: string, rows: readonly Row[]): string {
  const differing = rows.filter(({ differs }) => differs !== undefined).length;
  return `| ${part} | ${rows.length} | ${rows.length - differing} | ${differing} |`;
}

function toTable(rows: readonly Row[]): string {
  const lines = rows.map(({ section, promise, steps, differs }) => {
    const requests = steps.map(toRequestText).filter((text) => text !== '');
    return `| ${section} | ${toCell(promise)} | ${requests.join(', then ')} | ${differs ? `differs: ${toCell(differs)}` : 'kept'} |`;
  });
  return ['| section | promise | verified by | |', '|---|---|---|---|', ...lines].join('\n');
}

function toRequestText(step: Step): string {
  if (typeof step === 'function') return 'what that answers';
  if (step.api === 'sandbox') return `a fault of ${step.provider}`;
  if (step.api === 'REST') return `\`${step.method} ${toCell(step.path.slice(0, 60))}\``;
  return `GraphQL \`${toCell(/[{,(]?\s*(\w+)/.exec(step.query.replace(/^(?:query|mutation)\b[^{]*/, ''))?.[1] ?? '')}\``;
}

function toCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

interface Rows {
  readonly SPECIFICATION: readonly Row[];
  readonly CONTRACT: readonly Row[];
}
