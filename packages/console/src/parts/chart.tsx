import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

/** Time series as lines. The label says in words what they show, for those who do not see them. */
export function Chart({ label, times, series }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = JSON.stringify([times, series]);
  // The text stands for its data.
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      const colors = getComputedStyle(element);
      const color = (name: string) => colors.getPropertyValue(name).trim();
      const axis = {
        stroke: color('--soft'),
        grid: { stroke: color('--line'), width: 1 },
        ticks: { stroke: color('--line'), width: 1 },
        font: '12px system-ui, sans-serif',
      };
      plot = new uPlot(
        {
          width: widthOf(element),
          height: HEIGHT,
          cursor: { drag: { x: false, y: false } },
          legend: { live: true },
          padding: [8, 20, 0, 0],
          scales: { y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, 1)] } },
          axes: [axis, { ...axis, size: 56, values: (_plot, values) => values.map(toShort) }],
          series: [
            { value: (_plot, time) => (time == null ? '' : toMoment(time)) },
            ...series.map(({ name, tone, values }) => ({
              label: name,
              // A line of zeros would hide the one below it: a day without errors would be a red line.
              stroke: values.some((value) => value > 0) ? color(`--${tone}`) : 'transparent',
              width: 2,
              value: (_plot: uPlot, value: number | null) => value?.toLocaleString() ?? '',
              fill: tone === 'accent' ? `${color('--accent')}22` : undefined,
              points: { show: times.length < 30 },
            })),
          ] as uPlot.Series[],
        },
        [times, ...series.map(({ values }) => values)] as uPlot.AlignedData,
        element,
      );
    };
    draw();
    const resized = new ResizeObserver(() =>
      plot?.setSize({ width: widthOf(element), height: HEIGHT }),
    );
    resized.observe(element);
    dark.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      dark.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [drawn]);
  return <div class="chart" role="img" aria-label={label} ref={place} />;
}

function toMoment(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}

/** Without its padding. */
function widthOf(element: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  return element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
}

const HEIGHT = 180;

export function toShort(value: number): string {
  return new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(
    value,
  );
}

interface ChartProps {
  readonly label: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly {
    readonly name: string;
    /** The variable of its colour. */
    readonly tone: 'accent' | 'bad' | 'good' | 'warn';
    readonly values: readonly number[];
  }[];
}
