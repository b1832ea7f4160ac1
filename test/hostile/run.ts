import { parseArgs } from 'node:util';
import { answers } from './measure/answers.ts';
import { atWork } from './measure/at-work.ts';
import { corpus } from './measure/corpus.ts';
import { keyholders, strangers } from './measure/documents.ts';
import { guessing } from './measure/guessing.ts';
import { held } from './measure/held.ts';
import type { Measure } from './measure/measure.ts';
import { refreshes } from './measure/refreshes.ts';
import { shares } from './measure/shares.ts';
import { variations } from './measure/variations.ts';

/** `npm run hostile -- all`, or names of measures: prints a table, and exits with 1 if a row does not hold. */
const MEASURES: Readonly<Record<string, Measure>> = {
  corpus,
  answers,
  strangers,
  keyholders,
  held,
  'at-work': atWork,
  guessing,
  shares,
  refreshes,
  variations,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});
const wanted = positionals.includes('all') ? Object.keys(MEASURES) : positionals;
const unknown = wanted.filter((name) => !MEASURES[name]);
if (wanted.length === 0 || unknown.length > 0) {
  say(`Which? ${['all', ...Object.keys(MEASURES)].join(', ')}`);
  process.exit(2);
}

const [seed, scale] = [Number(values.seed), Number(values.scale)];
let isWell = true;
for (const name of wanted) {
  const rows = (await MEASURES[name]?.({ seed, scale, only: values.only })) ?? [];
  for (const { what, value, bound, holds } of rows) {
    say(
      `${holds ? 'holds ' : 'BROKEN'} ${name.padEnd(10)} ${what.padEnd(60)} ${value}  (${bound})`,
    );
    isWell &&= holds;
  }
}
process.exitCode = isWell ? 0 : 1;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
