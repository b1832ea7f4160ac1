import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const RULES = resolve('ops/alerts.yaml');
const MINUTES_BEFORE = 20;

/**
 * Runs Prometheus's own evaluator on scraped metrics: the first scrape for twenty minutes, then each of the others
 * for one, and the last one from then on. Throws unless the alert is inactive at first, and fires afterwards.
 */
export function requireAlert(alert: string, scrapes: readonly Scrape[]): void {
  const names = new Set(scrapes.flatMap((scrape) => [...scrape.keys()]));
  const [first, ...others] = scrapes;
  const last = scrapes.at(-1);
  const minutesAfter = readMinutesUntilFiring(alert) + 10;
  const values = (name: string) =>
    [
      ...Array.from({ length: MINUTES_BEFORE }, () => first),
      ...others,
      ...Array.from({ length: minutesAfter + 10 }, () => last),
    ]
      .map((scrape) => scrape?.get(name) ?? '_')
      .join(' ');
  // The maximum of the last ten minutes, so that a short alert between two evaluations is not missed.
  const expr = `max_over_time((count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0)[12m:1m])`;
  const firing = [{ labels: '{}', value: 1 }];
  const test = {
    interval: '1m',
    input_series: [...names].map((name) => ({ series: name, values: values(name) })),
    promql_expr_test: [
      { expr, eval_time: `${MINUTES_BEFORE - 1}m`, exp_samples: [] },
      { expr, eval_time: `${MINUTES_BEFORE + others.length + minutesAfter}m`, exp_samples: firing },
    ],
  };
  const folder = makeTemporaryFolder();
  const file = join(folder, 'test.yaml');
  // JSON is YAML.
  writeFileSync(
    file,
    JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: [test] }),
  );
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  if (status !== 0) throw new Error(`${alert}: ${stdout}${stderr}`);
}

/** For how long the expression of the alert has to hold. */
function readMinutesUntilFiring(alert: string): number {
  const [, rule = ''] = readFileSync(RULES, 'utf8').split(`- alert: ${alert}\n`);
  const [, amount = '0', unit] = /^ +for: (\d+)(m|h)$/m.exec(rule.split('- alert:')[0] ?? '') ?? [];
  return Number(amount) * (unit === 'h' ? 60 : 1);
}

/** Like Prometheus: each series with the labels of its target, and `up`. */
export async function scrape(url: string): Promise<Scrape> {
  const target = `instance="${new URL(url).host}",job="crossbook"`;
  const answered = await fetch(`${url}/metrics`).catch(() => undefined);
  const found = new Map([[`up{${target}}`, answered?.ok ? '1' : '0']]);
  const text = answered?.ok ? await answered.text() : '';
  for (const [, name, labels, value] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)) {
    const all = [labels, target].filter((one) => one !== undefined).join(',');
    if (Number.isFinite(Number(value))) found.set(`${name}{${all}}`, String(value));
  }
  return found;
}

export type Scrape = ReadonlyMap<string, string>;
