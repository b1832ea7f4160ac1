/** The longest address that mail systems carry. */
const MAX_EMAIL_LENGTH = 254;
const MAX_DOMAIN_LENGTH = 253;

/** Within quotes, what comes before the @ may hold spaces and further @s. */
const EMAIL = /^(?:[^\s@\p{Cc}\p{Cs}]+|"(?:[^"\\\p{Cc}\p{Cs}]|\\[^\p{Cc}\p{Cs}])+")@[^\s@\p{Cc}\p{Cs}]+$/u;
const DOMAIN = /^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

/** Emails compare trimmed and without case, wherever they come from. */
export function normaliseEmail(email: string): string {
  return isPlain(email) ? email : email.trim().toLowerCase();
}

/** Deliberately wide: CRMs hold addresses that stricter grammars refuse, and they have to be found. */
export function isEmail(email: string): boolean {
  return email.length <= MAX_EMAIL_LENGTH && ((isPlain(email) && hasOneAt(email)) || EMAIL.test(email));
}

export function isEmailDomain(domain: string): boolean {
  return domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain);
}

/** ASCII without spaces and capitals: a search has thousands of them, and nearly all are. */
function isPlain(email: string): boolean {
  for (let at = 0; at < email.length; at += 1) {
    const code = email.charCodeAt(at);
    if (code <= SPACE || code >= DELETE || (code >= CAPITAL_A && code <= CAPITAL_Z)) return false;
  }
  return true;
}

function hasOneAt(email: string): boolean {
  const at = email.indexOf('@');
  return at > 0 && at < email.length - 1 && email.indexOf('@', at + 1) < 0;
}

const SPACE = 0x20;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
const DELETE = 0x7f;
