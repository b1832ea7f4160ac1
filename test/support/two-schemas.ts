/** Custom fields of two applications with the same sources: some of the same name and another type. */
export const ALPHA_FIELDS = [
  toField('alphaColor', 'TEXT', 'color'),
  toField('alphaSize', 'NUMBER', 'size'),
  toField('alphaVip', 'BOOLEAN', 'vip'),
  toField('alphaBorn', 'DATE', 'born'),
  toField('alphaMet', 'DATETIME', 'met'),
  toField('alphaTags', 'CHOICES', 'tags'),
  toField('shared', 'NUMBER', 'size', 'alpha'),
];
export const BETA_FIELDS = [
  toField('betaColor', 'CHOICE', 'color'),
  toField('shared', 'CHOICES', 'size', 'beta'),
];

/** The values of the people of `fake-crm-port.ts`. */
export const ALPHA_VALUES = {
  alphaColor: 'violet',
  alphaSize: 17,
  alphaVip: true,
  alphaBorn: '1815-12-10',
  alphaMet: '2026-01-31T10:00:00.000Z',
  alphaTags: ['B', 'A'],
  shared: 17,
};
export const BETA_VALUES = { betaColor: 'violet', shared: ['17'] };

export const ALPHA_TYPES = {
  alphaColor: 'String',
  alphaSize: 'Float',
  alphaVip: 'Boolean',
  alphaBorn: 'Date',
  alphaMet: 'DateTime',
  alphaTags: '[String!]',
  shared: 'Float',
};
export const BETA_TYPES = { betaColor: 'String', shared: '[String!]' };

/** The description has no word of the other application. */
function toField(name: string, type: string, source: string, whose = name) {
  const description = `${whose.startsWith('alpha') ? 'Alpha' : 'Beta'} says """hello""" of ${name}.`;
  const sources = (['HUBSPOT', 'SALESFORCE'] as const).map((provider) => ({
    provider,
    field: source,
  }));
  return { name, type, description, sources };
}
