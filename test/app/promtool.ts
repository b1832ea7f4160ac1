import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const RULES = resolve('ops/alerts.yaml');
const MINUTES = { before: 20, after: 20 };

/**
 * Runs Prometheus's own evaluator on scraped metrics: the first scrape for twenty minutes, then each of the others
 * for one, and the last one from then on. Throws unless the alert is inactive at first, and fires afterwards.
 */
export function requireAlert(alert: string, scrapes: readonly Scrape[]): void {
  const names = new Set(scrapes.flatMap((scrape) => [...scrape.keys()]));
  const [first, ...others] = scrapes;
  const last = scrapes.at(-1);
  const values = (name: string) =>
    [
      ...Array.from({ length: MINUTES.before }, () => first),
      ...others,
      ...Array.from({ length: MINUTES.after }, () => last),
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
      { expr, eval_time: `${MINUTES.before - 1}m`, exp_samples: [] },
      { expr, eval_time: `${MINUTES.before + others.length + 10}m`, exp_samples: firing },
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
