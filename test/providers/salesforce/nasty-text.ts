import { fc } from '../../support/fast-check.ts';

/** Text biased towards what means something to the grammar of queries, and with halves of surrogate pairs. */
export const nastyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\\', "'", '"', '%', '_', 'u', 'n', '0', ',', ')'),
    fc.constantFrom('\n', '\r', '\t', '\b', '\f', '\0', '\u2028', '\u00a0', '\u0085'),
    fc.constantFrom('\ud800', '\udfff', 'İ', 'ß', '😀'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }),
  ),
});
