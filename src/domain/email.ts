/** The longest address that mail systems carry. */
const MAX_EMAIL_LENGTH = 254;
const MAX_DOMAIN_LENGTH = 253;

/** Within quotes, what comes before the @ may hold spaces and further @s. */
const EMAIL = /^(?:[^\s@\p{Cc}\p{Cs}]+|"(?:[^"\\\p{Cc}\p{Cs}]|\\[^\p{Cc}\p{Cs}])+")@[^\s@\p{Cc}\p{Cs}]+$/u;
const DOMAIN = /^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

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
