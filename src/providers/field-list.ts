import * as z from 'zod';
import { MAX_CHOICES, type ProviderField } from '../domain/custom-fields.ts';

/** What the lists of fields of all CRMs have in common: only names are needed, and everything is limited. */
const MAX_LABEL = 255;

export const optionalText = z.string().nullish().catch(null);
export const optionalFlag = z.boolean().nullish().catch(null);
export const optionalList = z.array(z.unknown()).nullish().catch(null);
export const wireName = z.string().min(1).max(MAX_LABEL);

export function toLabel(label: string | null | undefined, name: string): string {
  return label?.slice(0, MAX_LABEL) || name;
}

/** The choices of a field. Those without a value are left out. */
export function toChoices(
  options: readonly unknown[] | null | undefined,
): ProviderField['choices'] {
  return (options ?? []).slice(0, MAX_CHOICES).flatMap((option) => {
    const known = wireChoice.safeParse(option).data;
    if (!known) return [];
    const { value, label } = known;
    return [{ value: value.slice(0, MAX_LABEL), label: (label || value).slice(0, MAX_LABEL) }];
  });
}

const wireChoice = z.object({ value: z.string(), label: optionalText });
