import type { Person } from './people.ts';

/**
 * The people of Northwind's account. None of them is in the demo, except that Ada's email is in both: a search for
 * it shows which account is connected.
 */
export const NORTHWIND_PEOPLE: readonly Partial<Person>[] = [
  person('Nancy', 'Davolio', 'Sales Representative'),
  person('Andrew', 'Fuller', 'Vice President, Sales'),
  person('Janet', 'Leverling', 'Sales Representative'),
  person('Steven', 'Buchanan', 'Sales Manager'),
  person('Laura', 'Callahan', 'Inside Sales Coordinator'),
  { ...person('Ada', 'of Northwind', 'Buyer'), email: 'ada@example.com' },
];

/** The people of the test org. */
export const NORTHWIND_TEST_PEOPLE: readonly Partial<Person>[] = [
  { ...person('Terry', 'Tester', 'Nobody real'), email: 'terry.tester@northwind-test.example' },
];

function person(firstName: string, lastName: string, jobTitle: string): Partial<Person> {
  const email = `${firstName}.${lastName.replaceAll(' ', '.')}@northwind.example`.toLowerCase();
  return {
    firstName,
    lastName,
    jobTitle,
    email,
    lifecycleStage: 'customer',
    ownerIndex: 1,
    phone: '+1 206 555 0100',
    mailingAddress: {
      street: '507 20th Avenue E.',
      city: 'Seattle',
      state: 'WA',
      postalCode: '98122',
      country: 'United States',
    },
  };
}
