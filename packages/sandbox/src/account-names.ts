/** The display name and slug of an account, by its number. */
export function nameOf(number: number): AccountName {
  return NAMES[number] ?? { name: `Account ${number}`, slug: `account-${number}` };
}

/** Far from the numbers that tests give to accounts. */
export const NORTHWIND = 900;
export const NORTHWIND_TEST = 901;

const NAMES: Readonly<Record<number, AccountName>> = {
  0: { name: 'Demo company', slug: 'demo' },
  [NORTHWIND]: { name: 'Northwind Traders', slug: 'northwind' },
  [NORTHWIND_TEST]: { name: 'Northwind Traders (test)', slug: 'northwind--test' },
};

interface AccountName {
  readonly name: string;
  readonly slug: string;
}
