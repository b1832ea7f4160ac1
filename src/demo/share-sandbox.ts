/** Loaded lazily: a supervisor describes its sandbox, and its workers join that. */
export { describeSandbox, joinSandbox } from '@crossbook/sandbox';
