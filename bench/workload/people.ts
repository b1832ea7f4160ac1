/** Contacts with every field set, as input of a sandbox account. */
export function inventPeople(count: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    firstName: FIRST_NAMES[index % FIRST_NAMES.length],
    lastName: `Lovelace-${index}`,
    email: emailOf(index),
    workEmail: `desk.${index}@work.example`,
    phone: `+44 20 7946 ${String(index).padStart(4, '0')}`,
    mobilePhone: `+44 7700 90${String(index).padStart(4, '0')}`,
    mailingAddress: {
      street: `${index} St James’s Square`,
      city: 'London',
      state: 'England',
      postalCode: 'SW1Y 4JH',
      country: 'United Kingdom',
    },
    lifecycleStage: STAGES[index % STAGES.length],
    companyIndex: 1 + (index % 900),
    ownerIndex: 1 + (index % 20),
    lastActivityAt: Date.UTC(2026, 0, 1) + index * 61_001,
    createdAt: Date.UTC(2025, 0, 1) + index * 61_001,
    updatedAt: Date.UTC(2026, 1, 1) + index * 61_001,
  }));
}

export function emailOf(index: number): string {
  return `person.${index}@bench.example`;
}

export function emailsOf(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) => emailOf(from + index));
}

const FIRST_NAMES = ['Ada', 'Grace', 'Søren', 'Zoë', 'Katherine', 'José', 'Hedy', '明'];
const STAGES = ['lead', 'customer', 'opportunity', 'subscriber', 'evangelist', '48151623'];
