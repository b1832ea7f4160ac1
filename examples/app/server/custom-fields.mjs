/**
 * The fields that the app needs beside those that all contacts have, and where the CRMs have them. With a typed schema
 * they are fields of `Contact.custom`; `custom-fields.graphql` says so to the code generator.
 */
export const CUSTOM_FIELDS = /** @type {const} */ ([
  {
    name: 'favoriteColor',
    type: 'TEXT',
    description: 'The person’s favorite color.',
    sources: [
      { provider: 'HUBSPOT', field: 'favorite_color' },
      { provider: 'SALESFORCE', field: 'Favorite_Color__c' },
    ],
  },
  {
    name: 'jobTitle',
    type: 'TEXT',
    description: 'The job of the person, as their company calls it.',
    sources: [
      { provider: 'HUBSPOT', field: 'jobtitle' },
      { provider: 'SALESFORCE', field: 'Title' },
    ],
  },
]);

/**
 * Makes sure that the schema of the app's key has these fields. An application that has none gets them; those of an
 * application that has others are changed only on request.
 * @param {import('crossbook-client').Client} crossbook
 * @param {{ mayAdd: boolean }} options
 */
export async function requireCustomFields(crossbook, { mayAdd }) {
  const { version, typedSchema, definitions } = await crossbook.customFieldDefinitions();
  const missing = CUSTOM_FIELDS.filter(
    ({ name, type }) => !definitions.some((one) => one.name === name && one.type === type),
  );
  if (typedSchema && missing.length === 0) return;
  if (version > 0 && !mayAdd) {
    const problem =
      missing.length > 0 ? missing.map(({ name }) => name).join(', ') : 'a typed schema';
    throw new Error(
      `The application has custom fields, but not ${problem}, which the app needs. Add what is missing: npm start -- --add-fields`,
    );
  }
  await crossbook.setCustomFieldDefinitions({
    definitions: [...definitions, ...missing],
    typedSchema: true,
    expectedVersion: version,
  });
}
