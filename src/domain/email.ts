/** The longest address that mail systems carry. */
const MAX_EMAIL_LENGTH = 254;
const MAX_DOMAIN_LENGTH = 253;

/** Within quotes, what comes before the @ may hold spaces and further @s. */
const EMAIL = /^(?:[^\s@\p{Cc}\p{Cs}]+|"(?:[^"\\\p{Cc}\p{Cs}]|\\[^\p{Cc}\p{Cs}])+")@[^\s@\p{Cc}\p{Cs}]+$/u;
const DOMAIN = /^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

/** Nearly all of them: small letters as they are compared, and nothing that the grammar above would have to look at. */
const PLAIN = /^[a-z0-9._+-]+@[a-z0-9.-]+$/;

/** As it is compared; undefined where it is none. */
export function readEmail(text: string): string | undefined {
  if (text.length <= MAX_EMAIL_LENGTH && PLAIN.test(text)) return text;
  const email = normaliseEmail(text);
  return isEmail(email) ? email : undefined;
}

/** Emails compare trimmed and without case, wherever they come from. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Deliberately wide: CRMs hold addresses that stricter grammars refuse, and they have to be found. */
export function isEmail(email: string): boolean {
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email);
}

export function isEmailDomain(domain: string): boolean {
  return domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain);
}
