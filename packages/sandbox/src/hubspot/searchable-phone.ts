/**
 * The area code and local number: `+33 6 55 55 55 55` becomes `655555555`. A number without a country code keeps
 * all its digits.
 */
export function searchablePhone(phone: string | null): string | null {
  if (phone === null) return null;
  const digits = phone.replace(/\D/g, '');
  const national = phone.trim().startsWith('+') ? digits.replace(CALLING_CODE, '') : digits;
  return national.replace(/^0+/, '') || null;
}

/** Calling codes of one and two digits; all others have three. */
const CALLING_CODE = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;
