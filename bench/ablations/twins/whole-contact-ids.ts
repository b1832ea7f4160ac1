import type { toContactId as original } from '../../../src/graphql/contact-id.ts';
import { toGlobalId } from '../../../src/graphql/global-id.ts';

export const toContactId: typeof original = ({ source, remoteId }) =>
  toGlobalId({ type: 'Contact', ...source, remoteId });
