/**
 * Timeouts that limit nothing but hanging: those of production are too short for a busy machine, and a test that is not
 * about a timeout must not depend on the machine's speed.
 */
export const PATIENT_DATABASE = {
  connectionTimeoutMs: 600_000,
  statementTimeoutMs: 600_000,
  lockTimeoutMs: 600_000,
  deadlineMs: 600_000,
};

/** For tests of an outage, which has to be noticed. */
export const PRODUCTION_TIMEOUTS = { timeouts: undefined };
