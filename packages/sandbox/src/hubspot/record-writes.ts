import { findPipelineOf, findStage, PIPELINES } from '../deal-stages.ts';
import type { CrmRecord, RecordValues } from '../records.ts';
import { readValues } from '../records.ts';
import { ownerIndexOf } from './contact-view.ts';
import { type HubSpotError, invalid } from './errors.ts';
import { findByUnique, showRecord, toHubSpotId, toHubSpotIndex } from './record-objects.ts';
import { findRecordProperty, listRecordProperties } from './record-properties.ts';
import type { HubSpotAccount } from './types.ts';
import { createWriteEndpoints, type Input, replacesStage, type WriteEndpoints } from './writes.ts';

/** Creations, updates and upserts of companies and deals. */
export function createRecordWrites(kind: 'company' | 'deal'): WriteEndpoints {
  const name = kind.toUpperCase();
  return createWriteEndpoints({
    name,
    requiresOneOf: kind === 'company' ? ['name', 'domain'] : [],
    findProperty: (account, property) => findRecordProperty(account, kind, property),

    find({ records }, id) {
      const index = records.survivorOf(kind, toHubSpotIndex(kind, id));
      return index !== undefined && records.get(kind, index)?.isDeleted === false
        ? index
        : undefined;
    },

    findBy(account, property, value) {
      const known = findRecordProperty(account, kind, property);
      if (!known?.hasUniqueValue)
        throw invalid(`idProperty has to be a unique property of ${name}`);
      return findByUnique(account, kind, known, value)?.index;
    },

    checkUnique(account, input, own) {
      for (const property of listRecordProperties(account, kind)) {
        const value = property.hasUniqueValue && input.properties.get(property.name);
        const owner = value ? findByUnique(account, kind, property, value) : undefined;
        if (owner && owner.index !== own)
          throw refuse(
            property.name,
            'CONFLICTING_UNIQUE_VALUE',
            `${property.name} value ${value} conflicts with existing value on object ${toHubSpotId(kind, owner.index)}`,
          );
      }
      if (kind === 'deal') checkStage(account, input, own);
    },

    create: (account, input) => {
      const blank: RecordValues = kind === 'company' ? { lifecyclestage: 'lead' } : {};
      return account.records.add(kind, { ...blank, ...toValues(account, kind, input, undefined) });
    },

    change(account, index, input) {
      const before = account.records.get(kind, index);
      account.records.change(kind, index, toValues(account, kind, input, before));
    },

    show: (account, index, { properties }) =>
      showRecord(account, kind, index, [...properties.keys()]),
  });
}

/** A stage belongs to its pipeline, which is the default one unless the deal has another. */
function checkStage(account: HubSpotAccount, { properties }: Input, own: number | undefined): void {
  const { records, quirks } = account;
  const record = own === undefined ? undefined : records.get('deal', own);
  const before: RecordValues = record ? readValues('deal', record) : {};
  const newStage = properties.get('dealstage');
  const stage = newStage ?? before['dealstage'] ?? null;
  const pipeline =
    properties.get('pipeline') ??
    before['pipeline'] ??
    (newStage ? PIPELINES[0]?.id : null) ??
    null;
  const isChanged = properties.has('pipeline') || properties.has('dealstage');
  const isKnown = pipeline === null || PIPELINES.some(({ id }) => id === pipeline);
  if (isChanged && !isKnown)
    throw refuse('pipeline', 'INVALID_OPTION', `${pipeline} was not one of the allowed options`);
  if (isChanged && stage && findPipelineOf(stage)?.id !== pipeline)
    throw refuse(
      'dealstage',
      'INVALID_OPTION',
      `${stage} was not one of the allowed options of the pipeline ${pipeline}`,
    );
  if (!newStage || !findStage(newStage)?.isClosed) return;
  for (const name of quirks.closedDealsRequire) {
    const value = properties.get(name) ?? (record ? before[name] : null);
    if (!value) throw refuse(name, 'REQUIRED_PROPERTY', `${name} is required`);
  }
}

function refuse(name: string, error: string, message: string): HubSpotError {
  const problem = { isValid: false, message, error, name };
  return invalid(`Property values were not valid: ${JSON.stringify([problem])}`);
}

/** The inverse of the properties that are read from a record. */
function toValues(
  { quirks }: HubSpotAccount,
  kind: 'company' | 'deal',
  { properties }: Input,
  before: CrmRecord | undefined,
): RecordValues {
  const values: Record<string, string | null> = {};
  const known: RecordValues = before ? readValues(kind, before) : {};
  for (const [name, value] of properties) {
    if (name === 'hubspot_owner_id') values['owner'] = value ? String(ownerIndexOf(value)) : value;
    else if (name === 'lifecyclestage') {
      if (replacesStage(quirks, value, known['lifecyclestage'])) values[name] = value || null;
    } else if (name !== 'dealstage' && name !== 'pipeline') values[VALUES[name] ?? name] = value;
    else if (!before || !quirks.dealStagesStay) {
      values[name] = value;
      // It follows the stage.
      values['probability'] = null;
    }
  }
  const { dealstage } = values;
  if (dealstage && !('pipeline' in values) && !known['pipeline'])
    values['pipeline'] = PIPELINES[0]?.id ?? null;
  return values;
}

const VALUES: Readonly<Record<string, string>> = {
  dealname: 'name',
  deal_currency_code: 'currency',
  hs_next_step: 'nextstep',
  dealtype: 'type',
};
