import type { SyncConfigurationInput } from '../../src/domain/sync.ts';

export const SYNC_NOTHING: SyncConfigurationInput = {
  contacts: false,
  companies: false,
  deals: false,
  edges: false,
  standardObjects: [],
  customObjects: [],
  intervalSeconds: 900,
  isEnabled: true,
};
export const SYNC_CONTACTS: SyncConfigurationInput = { ...SYNC_NOTHING, contacts: true };
