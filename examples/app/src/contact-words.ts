import type { ContactRowFragment, LifecycleStage } from './operations.generated.ts';

type Named = Pick<ContactRowFragment, 'firstName' | 'lastName'>;

export function toName({ firstName, lastName }: Named): string {
  return [firstName, lastName].filter(Boolean).join(' ') || 'No name';
}

export function toInitials({ firstName, lastName }: Named): string {
  return [firstName, lastName].map((name) => [...(name ?? '')][0] ?? '').join('');
}

const STAGES: Readonly<Partial<Record<LifecycleStage, string>>> = {
  MARKETINGQUALIFIEDLEAD: 'Marketing lead',
  SALESQUALIFIEDLEAD: 'Sales lead',
};

export function toStage(stage: LifecycleStage): string {
  return STAGES[stage] ?? toWords(stage);
}

/** `WORK` → `Work`. */
export function toWords(value: string): string {
  return value[0] + value.slice(1).toLowerCase();
}

/** Without a currency, the account does not say which. */
export function toMoney({ value, currency }: Money): string {
  const style = currency ? ({ style: 'currency', currency } as const) : {};
  return new Intl.NumberFormat('en', { ...style, maximumFractionDigits: 2 }).format(Number(value));
}

interface Money {
  readonly value: string;
  readonly currency: string | null;
}
