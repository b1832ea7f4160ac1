/**
 * Date literals are spans of whole days in the user's time zone, which is UTC here. Weeks begin on Sunday, and the
 * fiscal year is the calendar year.
 */
export const DATE_LITERALS: ReadonlyMap<string, DateLiteral> = new Map([
  ...spans('YESTERDAY', { unit: 'DAY', from: -1, to: 0 }),
  ...spans('TODAY', { unit: 'DAY', from: 0, to: 1 }),
  ...spans('TOMORROW', { unit: 'DAY', from: 1, to: 2 }),
  ...spans('LAST_90_DAYS', { unit: 'DAY', from: -90, to: 1 }),
  ...spans('NEXT_90_DAYS', { unit: 'DAY', from: 1, to: 91 }),
  // Days count back from today, and include it; other units exclude the current one.
  ...counted('LAST_N_DAYS', (n) => ({ unit: 'DAY', from: -n, to: 1 })),
  ...counted('NEXT_N_DAYS', (n) => ({ unit: 'DAY', from: 1, to: n + 1 })),
  ...counted('N_DAYS_AGO', (n) => ({ unit: 'DAY', from: -n, to: 1 - n })),
  ...(['WEEK', 'MONTH', 'QUARTER', 'YEAR', 'FISCAL_QUARTER', 'FISCAL_YEAR'] as const).flatMap(
    (name) => {
      const unit = toUnit(name);
      return [
        ...spans(`LAST_${name}`, { unit, from: -1, to: 0 }),
        ...spans(`THIS_${name}`, { unit, from: 0, to: 1 }),
        ...spans(`NEXT_${name}`, { unit, from: 1, to: 2 }),
        ...counted(`LAST_N_${name}S`, (n) => ({ unit, from: -n, to: 0 })),
        ...counted(`NEXT_N_${name}S`, (n) => ({ unit, from: 1, to: n + 1 })),
        ...counted(`N_${name}S_AGO`, (n) => ({ unit, from: -n, to: 1 - n })),
      ];
    },
  ),
]);

/** The first moment of the span, and the first one after it. */
export function toTimes({ unit, from, to }: Span, now: number): readonly [number, number] {
  return [startOf(unit, now, from), startOf(unit, now, to)];
}

/** The start of the current unit, moved by this many units. */
function startOf(unit: Unit, now: number, moved: number): number {
  const today = new Date(now);
  const [year, month, day] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()];
  switch (unit) {
    case 'DAY':
      return Date.UTC(year, month, day + moved);
    case 'WEEK':
      return Date.UTC(year, month, day - today.getUTCDay() + 7 * moved);
    case 'MONTH':
      return Date.UTC(year, month + moved);
    case 'QUARTER':
      return Date.UTC(year, month - (month % 3) + 3 * moved);
    case 'YEAR':
      return Date.UTC(year + moved, 0);
  }
}

function toUnit(name: string): Unit {
  return name.replace('FISCAL_', '') as Unit;
}

function spans(name: string, span: Span): [string, DateLiteral][] {
  return [[name, { takesCount: false, toSpan: () => span }]];
}

function counted(name: string, toSpan: (count: number) => Span): [string, DateLiteral][] {
  return [[name, { takesCount: true, toSpan }]];
}

type Unit = 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR';

/** From a unit, relative to the current one, to another that is not included. */
interface Span {
  readonly unit: Unit;
  readonly from: number;
  readonly to: number;
}

interface DateLiteral {
  readonly takesCount: boolean;
  readonly toSpan: (count: number) => Span;
}
