import { toDecimal, toText } from '../../lib/text.ts';
import { decimal, field, nullable, type Of, shape, string } from '../shape.ts';

export const money = shape('Money', 'An amount of money.', {
  value: field(decimal, 'Amount as a decimal number, such as `1250000.5`.', {
    example: '1250000.5',
  }),
  currency: nullable(string, 'ISO 4217 code. Null where the CRM does not say which it is.', {
    example: 'EUR',
  }),
});

export type Money = Of<typeof money>;

/** An amount as a CRM sends it. Null if it is no number. */
export function toMoney(amount: unknown, currency: unknown = null): Money | null {
  const value = toDecimal(amount);
  return value === null ? null : { value, currency: toCurrency(currency) };
}

function toCurrency(code: unknown): string | null {
  const text = toText(code)?.toUpperCase() ?? '';
  return /^[A-Z]{3}$/.test(text) ? text : null;
}
