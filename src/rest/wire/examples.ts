import type * as z from 'zod';
import type { connectionShape, customerShape, customerUpsertShape } from './customer.ts';

const APPLICATION_ID = '3f0a4c52-6f0f-4d5c-9a55-1f4f1f6f2f11';

export const EXAMPLE_CONTACT_PAGE = {
  pagination: { next: null, previous: null, total_count: 1 },
  records: [
    {
      id: '101',
      account_id: '2001',
      owner_id: '31',
      first_name: 'Ada',
      last_name: 'Lovelace',
      addresses: [
        {
          address_type: 'primary',
          street_1: '12 St James’s Square',
          street_2: null,
          city: 'London',
          postal_code: 'SW1Y 4JH',
          country: 'GB',
        },
      ],
      email_addresses: [{ email_address: 'ada@example.com', email_address_type: 'primary' }],
      phone_numbers: [{ phone_number: '+44 20 7946 0000', phone_number_type: 'mobile' }],
      lifecycle_stage: 'customer',
      last_activity_at: '2025-03-01T12:00:00.000Z',
      created_at: '2024-01-01T09:30:00.000Z',
      updated_at: '2025-03-01T12:00:00.000Z',
      last_modified_at: '2025-03-01T12:00:00.000Z',
      is_deleted: false,
    },
  ],
};

export const EXAMPLE_CUSTOMER_UPSERT: z.input<typeof customerUpsertShape> = {
  customer_id: 'customer-1',
  name: 'Analytical Engines Ltd',
  email: 'office@example.com',
  // Of a provider that is never called: a search after the example sends no invented token anywhere.
  connections: [{ provider_name: 'pipedrive', credentials: { type: 'token', value: 'the-access-token' } }],
};

export const EXAMPLE_CONNECTION: z.output<typeof connectionShape> = {
  id: 'b1d0f8de-6d8e-4a36-8f0d-5a6d9e1c7a01',
  application_id: APPLICATION_ID,
  customer_id: 'customer-1',
  provider_id: '7a1de64c-0f7b-5b0c-9e0f-2f8f1f1d3c02',
  provider_name: 'pipedrive',
  category: 'crm',
  status: 'connected',
  status_changed_at: '2025-03-01T12:00:00.000Z',
};

export const EXAMPLE_CUSTOMER: z.output<typeof customerShape> = {
  application_id: APPLICATION_ID,
  customer_id: 'customer-1',
  name: 'Analytical Engines Ltd',
  email: 'office@example.com',
  connections: [EXAMPLE_CONNECTION],
};
