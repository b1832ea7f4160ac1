import type { Person } from './people.ts';

/**
 * Who is in the accounts beside the demo's. Nobody of the demo is among them, but for Ada's address: whoever connects one
 * of these accounts and looks for her sees at once whose contacts they are.
 */
export const NORTHWIND_PEOPLE: readonly Partial<Person>[] = [
  person('Nancy', 'Davolio', 'Sales Representative'),
  person('Andrew', 'Fuller', 'Vice President, Sales'),
  person('Janet', 'Leverling', 'Sales Representative'),
  person('Steven', 'Buchanan', 'Sales Manager'),
  person('Laura', 'Callahan', 'Inside Sales Coordinator'),
  { ...person('Ada', 'of Northwind', 'Buyer'), email: 'ada@example.com' },
];

/** Who is in an organisation for trying things out. */
export const NORTHWIND_TEST_PEOPLE: readonly Partial<Person>[] = [
  { ...person('Terry', 'Tester', 'Nobody real'), email: 'terry.tester@northwind-test.example' },
];

function person(firstName: string, lastName: string, jobTitle: string): Partial<Person> {
  const email = `${firstName}.${lastName.replaceAll(' ', '.')}@northwind.example`.toLowerCase();
  return {
    ...{ firstName, lastName, jobTitle, email, lifecycleStage: 'customer', ownerIndex: 1 },
    phone: '+1 206 555 0100',
    mailingAddress: {
      ...{ street: '507 20th Avenue E.', city: 'Seattle', state: 'WA' },
      ...{ postalCode: '98122', country: 'United States' },
    },
  };
}
