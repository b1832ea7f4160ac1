/** A name of the API in words: `refresh_token_refused` is "Refresh token refused". */
export function toWords(name: string): string {
  const words = name.replaceAll('_', ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

let titles: Readonly<Record<string, string>> = {};

/** The vendors' spelling of providers' names, from the server. */
export function setProviderTitles(found: Readonly<Record<string, string>>): void {
  titles = found;
}

export function toProvider(name: string): string {
  return titles[name] ?? toWords(name);
}

/** The types of records, as the REST API names them. */
export const RECORDS = ['contact', 'company', 'deal'] as const;
export type RecordType = (typeof RECORDS)[number];
export const RECORD_TITLES: Readonly<Record<RecordType, string>> = {
  contact: 'Contacts',
  company: 'Companies',
  deal: 'Deals',
};

export const RECORD_NOUNS: Readonly<Record<RecordType, string>> = {
  contact: 'Contact',
  company: 'Company',
  deal: 'Deal',
};

export const toList = (items: readonly string[]): string => items.join(', ');
