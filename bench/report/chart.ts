import type { CaseResult, Row } from '../commands/throughput.ts';
import { type Environment, toEnvironmentText } from './environment.ts';

/** A panel per case, a bar per contender: throughput relative to the floor's. Works in light and dark mode. */
export function drawChart(cases: readonly CaseResult[], environment: Environment): string {
  const count = cases[0]?.rows.length ?? 0;
  const height = TOP + count * ROW + BOTTOM;
  const panelWidth = (WIDTH - LABELS) / Math.max(1, cases.length);
  const labels = (cases[0]?.rows ?? []).map(({ title, name }, index) =>
    text(
      {
        x: LABELS - 10,
        y: yOf(index) + 13,
        anchor: 'end',
        kind: name === 'crossbook' ? 'own' : '',
      },
      title,
    ),
  );
  const panels = cases.flatMap((one, index) =>
    drawPanel(one, LABELS + index * panelWidth, panelWidth - GAP),
  );
  const note = `1.00 is the hand-written endpoint. ${toEnvironmentText(environment)}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Throughput as a share of a hand-written endpoint's">
<style>${STYLE}</style>
${[...labels, ...panels, text({ x: LABELS, y: height - 8, kind: 'note' }, note)].join('\n')}
</svg>
`;
}

function drawPanel({ title, rows }: CaseResult, x: number, width: number): readonly string[] {
  const scale = width / SHOWN;
  const line = `<line class="floor" x1="${x + scale}" x2="${x + scale}" y1="${TOP - 6}" y2="${yOf(rows.length)}"/>`;
  return [
    text({ x, y: 22, kind: 'title' }, title),
    ...rows.flatMap((row, index) => drawBar(row, { index, x, scale })),
    line,
  ];
}

/** A bar longer than the panel is cut with an open tip; its label has the value. */
function drawBar({ name, ratio }: Row, { index, x, scale }: Place): readonly string[] {
  const length = Math.max(1, Math.min(ratio.median, SHOWN) * scale);
  const y = yOf(index);
  const right = x + length;
  const tip = ratio.median > SHOWN ? `L${right + 5} ${y + 9}` : '';
  const kind = name === 'crossbook' ? 'own' : 'other';
  const figure = ratio.median.toFixed(2);
  const inside = length > 0.75 * SHOWN * scale;
  const at = inside
    ? { x: right - 4, y: y + 13, anchor: 'end', kind: 'inside' }
    : { x: right + 4, y: y + 13, kind: '' };
  return [
    `<path class="${kind}" d="M${x} ${y}H${right}${tip}L${right} ${y + 18}H${x}Z"/>`,
    text(at, figure),
  ];
}

function text({ x, y, anchor = 'start', kind }: TextPlace, words: string): string {
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${safe}</text>`;
}

function yOf(index: number): number {
  return TOP + index * ROW;
}

const WIDTH = 960;
const LABELS = 190;
const GAP = 18;
const TOP = 36;
const ROW = 26;
const BOTTOM = 34;
/** The longest share that fits. */
const SHOWN = 1.6;

const STYLE = `
text{font:12px system-ui,sans-serif;fill:#24292f}
.title{font-weight:600}.note{font-size:11px;fill:#57606a}
text.own{font-weight:700}path.own{fill:#1f6feb}path.other{fill:#afb8c1}
.inside{fill:#fff}path.other+.inside{fill:#24292f}
.floor{stroke:#57606a;stroke-dasharray:3 3}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#8b949e}path.other{fill:#484f58}
path.other+.inside{fill:#e6edf3}.floor{stroke:#8b949e}}`.trim();

interface Place {
  readonly index: number;
  readonly x: number;
  readonly scale: number;
}

interface TextPlace {
  readonly x: number;
  readonly y: number;
  readonly anchor?: string;
  readonly kind: string;
}
