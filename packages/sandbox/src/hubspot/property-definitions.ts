import type { Person } from '../people.ts';
import {
  additionalEmailsOf,
  companyId,
  companyName,
  emailOf,
  mergedIdsOf,
  mergedVidsOf,
  ownerId,
  recordId,
} from './contact-view.ts';
import { searchablePhone } from './searchable-phone.ts';
import type { CustomProperty, HubSpotAccount } from './types.ts';

/** The contact properties of a portal, each with a function that reads its value from a person. */
export const PROPERTIES: ReadonlyMap<string, Property> = new Map(
  [
    text('email', 'Email', (person, { people }) => emailOf(people, person)),
    text('work_email', 'Work email', (person) => person.workEmail),
    text('hs_email_domain', 'Email Domain', (person, { people }) => {
      const email = emailOf(people, person);
      return email ? email.slice(email.lastIndexOf('@') + 1) : null;
    }),
    {
      ...text('hs_additional_emails', 'Additional email addresses', (person, { people }) =>
        additionalEmailsOf(people, person),
      ),
      type: 'enumeration' as const,
      fieldType: 'checkbox',
      calculated: true,
    },
    {
      ...text('hs_merged_object_ids', 'Merged Contact IDs', (person, { people }) =>
        mergedIdsOf(people, person),
      ),
      type: 'enumeration' as const,
      fieldType: 'checkbox',
      readOnly: true,
    },
    {
      ...text('hs_calculated_merged_vids', 'Merged Contact IDs and times', (person, { people }) =>
        mergedVidsOf(people, person),
      ),
      type: 'enumeration' as const,
      fieldType: 'checkbox',
      calculated: true,
      readOnly: true,
    },
    text('firstname', 'First Name', (person) => person.firstName),
    text('lastname', 'Last Name', (person) => person.lastName),
    text('phone', 'Phone Number', (person) => person.phone, 'phonenumber'),
    text('mobilephone', 'Mobile Phone Number', (person) => person.mobilePhone, 'phonenumber'),
    text('fax', 'Fax Number', (person) => person.fax),
    calculated('hs_searchable_calculated_phone_number', (person) => searchablePhone(person.phone)),
    calculated('hs_searchable_calculated_mobile_number', (person) =>
      searchablePhone(person.mobilePhone),
    ),
    text('jobtitle', 'Job Title', (person) => person.jobTitle),
    text('company', 'Company Name', (person) =>
      person.companyIndex === null ? null : companyName(person.companyIndex),
    ),
    text('address', 'Street Address', (person) => person.mailingAddress?.street ?? null),
    text('city', 'City', (person) => person.mailingAddress?.city ?? null),
    text('state', 'State/Region', (person) => person.mailingAddress?.state ?? null),
    text('zip', 'Postal Code', (person) => person.mailingAddress?.postalCode ?? null),
    text('country', 'Country/Region', (person) => person.mailingAddress?.country ?? null),
    choice('lifecyclestage', 'Lifecycle Stage', (person) => person.lifecycleStage),
    {
      ...choice('hubspot_owner_id', 'Contact owner', (person) =>
        person.ownerIndex === null ? null : ownerId(person.ownerIndex),
      ),
      referencedObjectType: 'OWNER',
    },
    other('associatedcompanyid', 'number', ({ companyIndex }, { records }) => {
      const index = companyIndex === null ? undefined : records.survivorOf('company', companyIndex);
      return index === undefined ? null : String(companyId(index));
    }),
    { ...other('hs_object_id', 'number', (person) => recordId(person.index)), readOnly: true },
    other('notes_last_updated', 'datetime', (person) => iso(person.lastActivityAt)),
    { ...other('createdate', 'datetime', (person) => iso(person.createdAt)), readOnly: true },
    { ...other('lastmodifieddate', 'datetime', (person) => iso(person.updatedAt)), readOnly: true },
    {
      ...other('hs_lastmodifieddate', 'datetime', (person) => iso(person.updatedAt)),
      readOnly: true,
    },
  ].map((property) => [property.name, property]),
);

/** The eight default stages of a portal; stages that a portal adds have numbers. */
export const STAGES = [
  ['subscriber', 'Subscriber'],
  ['lead', 'Lead'],
  ['marketingqualifiedlead', 'Marketing Qualified Lead'],
  ['salesqualifiedlead', 'Sales Qualified Lead'],
  ['opportunity', 'Opportunity'],
  ['customer', 'Customer'],
  ['evangelist', 'Evangelist'],
  ['other', 'Other'],
  ['48151623', 'Onboarding'],
  ['99000111', 'Churned'],
] as const;

/**
 * A default property, or one of the portal's own: either defined in its settings, or set on some person of this
 * account.
 */
export function findProperty(
  { people, quirks }: Pick<Portal, 'people' | 'quirks'>,
  name: string,
): Property | undefined {
  if (isHidden(quirks, 'contact', name)) return undefined;
  const standard = PROPERTIES.get(name);
  const custom = quirks.propertyTypes[name];
  if (standard !== undefined || (custom === undefined && !customNames(people.all()).has(name)))
    return standard;
  return { ...text(name, name, (person) => person.custom[name] ?? null), isOwn: true, ...custom };
}

export function allProperties({ people, quirks }: Portal): readonly Property[] {
  const names = new Set([
    ...Object.keys(quirks.propertyTypes).filter((name) => !name.includes('.')),
    ...customNames(people.all()),
  ]);
  const own = [...names].flatMap((name) => findProperty({ people, quirks }, name) ?? []);
  return [...PROPERTIES.values(), ...own].filter(({ name }) => !isHidden(quirks, 'contact', name));
}

/** A property is hidden by its name, or of one object: `company.phone`. */
export function isHidden(
  { hiddenProperties }: Portal['quirks'],
  object: string,
  name: string,
): boolean {
  return hiddenProperties.includes(name) || hiddenProperties.includes(`${object}.${name}`);
}

function customNames(all: readonly Person[]): ReadonlySet<string> {
  const cached = names.get(all) ?? new Set(all.flatMap((person) => Object.keys(person.custom)));
  names.set(all, cached);
  return cached;
}

const names = new WeakMap<readonly Person[], ReadonlySet<string>>();

function text(...[name, label, read, fieldType = 'text']: TextParts): Property {
  return { name, label, type: 'string', fieldType, read, calculated: false, readOnly: false };
}

function calculated(name: string, read: Reader): Property {
  return { ...text(name, name, read, 'calculation_equation'), calculated: true };
}

function choice(name: string, label: string, read: Reader): Property {
  const fieldType = name === 'lifecyclestage' ? 'radio' : 'select';
  return { name, label, type: 'enumeration', fieldType, read, calculated: false, readOnly: false };
}

function other(name: string, type: 'number' | 'datetime', read: Reader): Property {
  const fieldType = type === 'number' ? 'number' : 'date';
  return { name, label: name, type, fieldType, read, calculated: false, readOnly: false };
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

export type Portal = Pick<HubSpotAccount, 'people' | 'records' | 'links' | 'quirks'>;

/** A property of contacts. */
export interface Property extends PropertyDefinition {
  readonly read: Reader;
}

export interface PropertyDefinition extends Omit<CustomProperty, 'type' | 'fieldType'> {
  readonly name: string;
  readonly label: string;
  readonly type: CustomProperty['type'];
  readonly fieldType: string;
  readonly calculated: boolean;
  readonly readOnly: boolean;
  /** Created by the portal. */
  readonly isOwn?: boolean;
  /** The values are not listed with the property. */
  readonly externalOptions?: boolean;
  /** The label of each option; default: the option itself. */
  readonly optionLabels?: Readonly<Record<string, string>>;
}

/** Null: never set. Empty string: set once and cleared. */
type Reader = (person: Person, portal: Portal) => string | null;
type TextParts = [name: string, label: string, read: Reader, fieldType?: string];
