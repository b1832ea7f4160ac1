import { readCustomFieldValues } from '../../domain/custom-field-values.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import { DEAL, type Deal, type DealField } from '../../domain/records/deal.ts';
import { dealFilters } from '../../domain/records/deal-filter.ts';
import { toMoney } from '../../domain/records/money.ts';
import type { DealStatus } from '../../domain/records/pipeline.ts';
import { type RecordOrigin, toRawData } from '../../domain/records/record.ts';
import type { FieldSelection } from '../../domain/records/record-search.ts';
import { isRecord } from '../../lib/json.ts';
import { toDay, toText, toTimestamp } from '../../lib/text.ts';
import { isSelected, labelDeals, unlessForbidden } from '../deal-labels.ts';
import { type HubSpotObject, MERGED_IDS, type Properties, propertiesOf } from './object.ts';
import { readCurrency, readPipelines, toProbability } from './pipelines.ts';

/** Maps a HubSpot record to the common shape, without the labels of its pipeline and stage. */
function toDeal(
  record: unknown,
  source: RecordOrigin,
  { rawData, customFields }: FieldSelection,
): Deal | undefined {
  if (!isRecord(record)) return undefined;
  const remoteId = toText(record['id']);
  if (remoteId === null) return undefined;
  const properties = propertiesOf(record);
  const modifiedAt = toTimestamp(properties['hs_lastmodifieddate']);
  const updatedAt = toTimestamp(record['updatedAt']) ?? modifiedAt;
  const status = toStatus(properties);
  const pipelineId = toText(properties['pipeline']);
  const stageId = toText(properties['dealstage']);
  return {
    source,
    remoteId,
    name: toText(properties['dealname']),
    amount: toMoney(properties['amount'], properties['deal_currency_code']),
    status,
    pipeline: pipelineId === null ? null : { id: pipelineId, label: null },
    stage:
      stageId === null
        ? null
        : {
            id: stageId,
            label: null,
            status,
            probability: toProbability(properties['hs_deal_stage_probability']),
          },
    closeDate: toDay(properties['closedate']),
    ownerId: toText(properties['hubspot_owner_id']),
    nextStep: toText(properties['hs_next_step']),
    createdAt: toTimestamp(record['createdAt']) ?? toTimestamp(properties['createdate']),
    updatedAt,
    lastModifiedAt: modifiedAt ?? updatedAt,
    isDeleted: record['archived'] === true,
    rawData: rawData ? toRawData(record) : null,
    ...(customFields && {
      customFields: readCustomFieldValues(customFields, remoteId, (name) => properties[name]),
    }),
  };
}

/** Calculated by HubSpot from the stage. A deal without a stage is open. */
function toStatus(properties: Properties): DealStatus | null {
  const [won, lost] = [properties['hs_is_closed_won'], properties['hs_is_closed_lost']];
  // Hidden from the connected user.
  if (won === undefined || lost === undefined) return null;
  if (won === 'true') return 'won';
  return lost === 'true' ? 'lost' : 'open';
}

const STATUS = ['hs_is_closed_won', 'hs_is_closed_lost'];

const PROPERTIES_OF: Readonly<Record<DealField, readonly string[]>> = {
  name: ['dealname'],
  amount: ['amount', 'deal_currency_code'],
  status: STATUS,
  pipeline: ['pipeline'],
  stage: ['dealstage', 'pipeline', 'hs_deal_stage_probability', ...STATUS],
  closeDate: ['closedate'],
  ownerId: ['hubspot_owner_id'],
  nextStep: ['hs_next_step'],
  createdAt: ['createdate'],
  updatedAt: ['hs_lastmodifieddate'],
  lastModifiedAt: ['hs_lastmodifieddate'],
  isDeleted: [],
};

export const DEAL_OBJECT: HubSpotObject<Deal> = {
  kind: DEAL,
  filters: dealFilters,
  name: 'deals',
  properties: PROPERTIES_OF,
  nameProperties: ['dealname'],
  keys: ['hs_object_id'],
  modified: 'hs_lastmodifieddate',
  mergedIds: [MERGED_IDS],
  complete,
  toRecord: toDeal,
};

/** Adds the labels of pipelines and stages, and the account's currency. */
async function complete(
  account: CustomerAccount,
  deals: readonly Deal[],
  selection: FieldSelection,
): Promise<readonly Deal[]> {
  const needsCurrency = isSelected(selection, 'amount') && deals.some(lacksCurrency);
  const [labelled, currency] = await Promise.all([
    labelDeals(deals, selection, () => readPipelines(account)),
    needsCurrency ? unlessForbidden(readCurrency(account), null) : null,
  ]);
  if (currency === null) return labelled;
  return labelled.map((deal) =>
    deal.amount && lacksCurrency(deal) ? { ...deal, amount: { ...deal.amount, currency } } : deal,
  );
}

function lacksCurrency({ amount }: Deal): boolean {
  return amount !== null && amount.currency === null;
}
