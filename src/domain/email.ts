/** The maximum length of an email address. */
const MAX_EMAIL_LENGTH = 254;
/** With spaces around it. */
const MAX_INPUT_LENGTH = 1_024;

/** A quoted local part may contain spaces and @. */
const EMAIL =
  /^(?:[^\s@\p{Cc}\p{Cs}]+|"(?:[^"\\\p{Cc}\p{Cs}]|\\[^\p{Cc}\p{Cs}])+")@[^\s@\p{Cc}\p{Cs}]+$/u;

/** The fast path for nearly all emails: normalized, without anything for the grammar above to check. */
const PLAIN = /^[a-z0-9._+-]+@[a-z0-9.-]+$/;

/** The normalized email; undefined if invalid. */
export function readEmail(text: string): string | undefined {
  if (text.length <= MAX_EMAIL_LENGTH && PLAIN.test(text)) return text;
  const email = normalizeEmailInput(text);
  return isEmail(email) ? email : undefined;
}

/** Emails are compared trimmed and case-insensitively. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Cuts a text that is too long to be an email before it is normalized, because a request may repeat it many times. */
export function normalizeEmailInput(text: string): string {
  return text.length > MAX_INPUT_LENGTH ? text.slice(0, MAX_INPUT_LENGTH) : normalizeEmail(text);
}

/** Deliberately lenient, because CRMs contain addresses that stricter grammars reject. */
export function isEmail(email: string): boolean {
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email);
}
