import type { CaseResult, Row, ThroughputResult } from '../commands/throughput.ts';

/** One table per case, as Markdown that is readable in a terminal too. */
export function toThroughputTable({ cases }: ThroughputResult): string {
  return cases
    .map((one) => `**${one.title}**\n\n${toTable(HEAD, one.rows.map(toCells))}`)
    .join('\n\n');
}

/** One table of all cases: only the throughput relative to the floor's. */
export function toRatioTable(cases: readonly CaseResult[]): string {
  const [first] = cases;
  if (!first) return '';
  const head = ['throughput as a share of the floor’s', ...cases.map(({ title }) => title)];
  const rows = first.rows.map(({ name, title }) => [
    title,
    ...cases.map(({ rows: of }) =>
      (of.find((row) => row.name === name)?.ratio.median ?? Number.NaN).toFixed(2),
    ),
  ]);
  return toTable(head, rows);
}

export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

function toCells({
  title,
  ratio,
  rate,
  cpuRatio,
  cpuMs,
  busy,
  p50,
  p99,
  calls,
  bytes,
}: Row): string[] {
  return [
    title,
    ratio.median.toFixed(2),
    `${ratio.lowest.toFixed(2)}–${ratio.highest.toFixed(2)}`,
    toCount(rate.median),
    cpuMs.median.toFixed(cpuMs.median < 1 ? 3 : 2),
    cpuRatio.median.toFixed(2),
    `${Math.round(busy.median * 100)} %`,
    `${p50.toFixed(1)} / ${p99.toFixed(1)}`,
    calls.toFixed(2),
    toCount(bytes / 1_000),
  ];
}

function toCount(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

const HEAD = [
  '',
  'share of the floor',
  'spread',
  'answers/s',
  'CPU ms',
  'share by CPU',
  'of a core',
  'p50 / p99 ms',
  'CRM calls',
  'kB',
];
