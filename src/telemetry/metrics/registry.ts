/** Counters, gauges and histograms, in the text format of Prometheus. Labels come from closed sets: nobody's data. */
export function createRegistry(): Registry {
  const families: Family[] = [];

  return {
    counter(name, help) {
      const series = createSeries(() => ({ value: 0 }));
      families.push({ name, help, type: 'counter', read: () => series.all().map(toSample) });
      return {
        add(labels, by = 1) {
          const one = series.at(labels);
          if (one) one.value += by;
        },
      };
    },

    gauge(name, help, read) {
      families.push({
        // What others count up themselves is a counter all the same.
        ...{ name, help, type: name.endsWith('_total') ? 'counter' : 'gauge' },
        read: () => read().map(({ labels = {}, value }) => ({ labels: toLabels(labels), value })),
      });
    },

    histogram(name, help, buckets) {
      const series = createSeries(() => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));
      families.push({
        ...{ name, help, type: 'histogram' },
        read: () => series.all().flatMap((one) => toBuckets(one, buckets)),
      });
      return {
        observe(labels, value) {
          const one = series.at(labels);
          if (!one) return;
          const index = buckets.findIndex((bound) => value <= bound);
          if (index >= 0) one.counts[index] = (one.counts[index] ?? 0) + 1;
          one.count += 1;
          one.sum += value;
        },
      };
    },

    render: () => families.map(toText).join(''),
  };
}

function createSeries<State extends object>(create: () => State) {
  const states = new Map<string, State & { readonly labels: string }>();
  return {
    /** Undefined: a bound that no closed set of labels reaches. A mistake costs a number, not the memory. */
    at(values: Labels) {
      let key = '';
      for (const name in values) key += `${name}\0${values[name]}\0`;
      const known = states.get(key);
      if (known || states.size >= MAX_SERIES) return known;
      const state = { ...create(), labels: toLabels(values) };
      states.set(key, state);
      return state;
    },
    all: () => [...states.values()],
  };
}

function toSample({ labels, value }: { readonly labels: string; readonly value: number }): Sample {
  return { labels, value };
}

/** What a bucket holds, all smaller ones hold as well: that is how Prometheus counts. */
function toBuckets({ labels, counts, count, sum }: Distribution, buckets: readonly number[]): Sample[] {
  let below = 0;
  const samples = buckets.map((bound, index) => {
    below += counts[index] ?? 0;
    return { suffix: '_bucket', labels: withLabel(labels, `le="${bound}"`), value: below };
  });
  return [
    ...samples,
    { suffix: '_bucket', labels: withLabel(labels, 'le="+Inf"'), value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}

function toText({ name, help, type, read }: Family): string {
  const samples = read().map(({ suffix = '', labels, value }) => `${name}${suffix}${labels} ${value}\n`);
  return samples.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.join('')}`;
}

function toLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

function withLabel(labels: string, pair: string): string {
  return labels === '' ? `{${pair}}` : `${labels.slice(0, -1)},${pair}}`;
}

function escapeText(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

const MAX_SERIES = 2_000;

export interface Registry {
  counter(name: string, help: string): Counter;
  /** Read when it is asked for. */
  gauge(name: string, help: string, read: () => readonly Reading[]): void;
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  render(): string;
}

export interface Counter {
  add(labels: Labels, by?: number): void;
}

export interface Histogram {
  observe(labels: Labels, value: number): void;
}

export interface Reading {
  readonly labels?: Labels;
  readonly value: number;
}

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  read(): readonly Sample[];
}

interface Sample {
  readonly suffix?: string;
  readonly labels: string;
  readonly value: number;
}

interface Distribution {
  readonly labels: string;
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}
