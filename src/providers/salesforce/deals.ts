import { readCustomFieldValues } from '../../domain/custom-field-values.ts';
import { DEAL, type Deal, type DealField } from '../../domain/records/deal.ts';
import { dealFilters } from '../../domain/records/deal-filter.ts';
import { toMoney } from '../../domain/records/money.ts';
import type { DealStatus } from '../../domain/records/pipeline.ts';
import { type RecordOrigin, toRawData } from '../../domain/records/record.ts';
import type { FieldSelection } from '../../domain/records/record-search.ts';
import { toDay, toText } from '../../lib/text.ts';
import { isSelected, labelDeals } from '../deal-labels.ts';
import { readField } from './contacts.ts';
import { CURRENCY, type SalesforceObject, toTime } from './object.ts';
import { PIPELINE, readPipelines, toProbability, toStatus } from './pipelines.ts';
import type { Row } from './query.ts';
import { fieldName, OPPORTUNITY } from './soql.ts';

/** Maps an opportunity to the common shape. */
function toDeal(row: Row, source: RecordOrigin, { rawData, customFields }: FieldSelection): Deal {
  const remoteId = toText(row['Id']) ?? '';
  const stageName = toText(row['StageName']);
  const status = toStatus(row);
  const modifiedAt = toTime(row['LastModifiedDate']);
  return {
    source,
    remoteId,
    name: toText(row['Name']),
    amount: toMoney(row['Amount'], row[CURRENCY]),
    status,
    pipeline: PIPELINE,
    stage: stageName === null ? null : toStage(stageName, status, row['Probability']),
    closeDate: toDay(row['CloseDate']),
    ownerId: toText(row['OwnerId']),
    nextStep: toText(row['NextStep']),
    createdAt: toTime(row['CreatedDate']),
    updatedAt: modifiedAt,
    // Changes by automation update only SystemModstamp.
    lastModifiedAt: toTime(row['SystemModstamp']) ?? modifiedAt,
    isDeleted: row['IsDeleted'] === true,
    rawData: rawData ? toRawData(row) : null,
    ...(customFields && {
      customFields: readCustomFieldValues(customFields, remoteId, (name) => readField(row, name)),
    }),
  };
}

function toStage(name: string, status: DealStatus | null, probability: unknown) {
  return { id: name, label: name, status, probability: toProbability(probability) };
}

const STATUS = ['IsWon', 'IsClosed'];

const NAMES_OF: Readonly<Record<DealField, readonly string[]>> = {
  name: ['Name'],
  amount: ['Amount', CURRENCY],
  status: STATUS,
  // An org has one for all.
  pipeline: [],
  stage: ['StageName', 'Probability', ...STATUS],
  closeDate: ['CloseDate'],
  ownerId: ['OwnerId'],
  nextStep: ['NextStep'],
  createdAt: ['CreatedDate'],
  updatedAt: ['LastModifiedDate'],
  lastModifiedAt: ['SystemModstamp', 'LastModifiedDate'],
  isDeleted: ['IsDeleted'],
};

export const DEAL_OBJECT: SalesforceObject<Deal> = {
  kind: DEAL,
  filters: dealFilters,
  name: OPPORTUNITY,
  idPrefix: '006',
  isMergeable: false,
  names: NAMES_OF,
  nameFields: [fieldName('Name')],
  keys: [],
  // The label of a stage may differ from its name. The one pipeline has its label.
  complete: async (account, deals, selection) =>
    isSelected(selection, 'stage')
      ? labelDeals(deals, selection, () => readPipelines(account))
      : deals,
  otherStandardFields: [
    'accountid',
    'campaignid',
    'description',
    'expectedrevenue',
    'forecastcategory',
    'forecastcategoryname',
    'leadsource',
    'type',
  ],
  toRecord: toDeal,
};
