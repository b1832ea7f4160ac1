import type { ProviderName } from './provider-names.ts';

/** A person in a customer's CRM, in the one common shape. Plain data: the faces read it as it is. */
export interface Contact {
  /** Whose contact it is and where it lives: shared by all contacts of one search. */
  readonly source: ContactSource;
  /** The provider's own id. */
  readonly remoteId: string;
  readonly accountId: string | null;
  readonly ownerId: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly addresses: readonly Address[];
  readonly emailAddresses: readonly EmailAddress[];
  readonly phoneNumbers: readonly PhoneNumber[];
  readonly lifecycleStage: LifecycleStage | null;
  /** Timestamps are RFC 3339 in UTC with milliseconds. */
  readonly lastActivityAt: string | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly lastModifiedAt: string | null;
  readonly isDeleted: boolean;
  /** The record as the provider sent it; null unless it was wanted. */
  readonly rawData: Readonly<Record<string, unknown>> | null;
}

export interface ContactSource {
  readonly applicationId: string;
  readonly customerId: string;
  readonly provider: ProviderName;
}

export interface Address {
  readonly addressType: AddressType;
  readonly street1: string | null;
  readonly street2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
}

export interface EmailAddress {
  readonly emailAddress: string;
  readonly emailAddressType: EmailAddressType;
}

export interface PhoneNumber {
  readonly phoneNumber: string;
  readonly phoneNumberType: PhoneNumberType;
}

/** A record of the CRM that a contact is linked to. */
export interface Association {
  readonly object: AssociatedObject;
  readonly remoteId: string;
}

export const ADDRESS_TYPES = ['primary', 'mailing', 'other', 'billing', 'shipping'] as const;
export type AddressType = (typeof ADDRESS_TYPES)[number];

export const EMAIL_ADDRESS_TYPES = ['primary', 'work', 'other'] as const;
export type EmailAddressType = (typeof EMAIL_ADDRESS_TYPES)[number];

export const PHONE_NUMBER_TYPES = ['primary', 'mobile', 'fax', 'other'] as const;
export type PhoneNumberType = (typeof PHONE_NUMBER_TYPES)[number];

export const LIFECYCLE_STAGES = [
  'subscriber',
  'lead',
  'marketingqualifiedlead',
  'salesqualifiedlead',
  'opportunity',
  'customer',
  'evangelist',
  'other',
] as const;
export type LifecycleStage = (typeof LIFECYCLE_STAGES)[number];

export const ASSOCIATED_OBJECTS = ['company', 'deal', 'ticket'] as const;
export type AssociatedObject = (typeof ASSOCIATED_OBJECTS)[number];
