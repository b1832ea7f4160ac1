/** Parses the Prometheus text format, and rejects what a scraper would. */
export function readMetrics(text: string): (name: string) => Readonly<Record<string, number>> {
  const lines = text.split('\n').filter((line) => line !== '');
  const samples = lines.flatMap((line) => {
    if (/^# (HELP|TYPE) [a-z_]+ \S/.test(line)) return [];
    const match = /^([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*)\})? (-?[\d.e+-]+|NaN)$/.exec(
      line,
    );
    if (!match) throw new Error(`No scraper could read this line: ${line}`);
    return [{ name: match[1], labels: match[2] ?? '', value: Number(match[3]) }];
  });
  const seen = samples.map(({ name, labels }) => `${name}{${labels}}`);
  if (new Set(seen).size !== seen.length) throw new Error('A sample is there twice.');
  return (name) =>
    Object.fromEntries(
      samples.filter((one) => one.name === name).map(({ labels, value }) => [labels, value]),
    );
}
