import { GraphQLError } from 'graphql';
import { isRfc3339 } from '../../lib/timestamp.ts';
import { builder } from '../builder.ts';

builder.scalarType('DateTime', {
  description:
    'A moment, written as in RFC 3339: `2025-01-31T09:30:00.000Z`. Answers are in UTC with milliseconds.',
  serialize: (value) => value,
  parseValue(value) {
    if (typeof value === 'string' && isRfc3339(value)) return value;
    throw new GraphQLError('DateTime takes a string as in RFC 3339, such as 2025-01-31T09:30:00Z.');
  },
});

builder.scalarType('JSON', {
  description: 'A JSON value whose shape belongs to somebody else, passed on as it is.',
  serialize: (value) => value,
});
