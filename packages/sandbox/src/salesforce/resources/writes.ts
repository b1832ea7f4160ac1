import type { Reply } from '../answers.ts';
import { notFound, SalesforceError } from '../errors.ts';
import type { FieldDefinition, Row, Table } from '../soql/table.ts';
import type { SalesforceAccount } from '../types.ts';
import { toId15 } from '../values/record-id.ts';
import { type ApiRequest, badInput, isRecord } from './api-request.ts';
import { CONTACT_WRITER } from './contact-writer.ts';
import type { Named, ObjectWriter } from './object-writer.ts';
import { ACCOUNT_WRITER, OPPORTUNITY_WRITER } from './record-writers.ts';
import { RELATION_WRITER, ROLE_WRITER } from './relation-writers.ts';

/** `POST` and `PATCH` of `composite/sobjects`: up to 200 records that fail one by one, in a response of status 200. */
export function answerCollectionWrite(apiRequest: ApiRequest): Reply {
  const body = apiRequest.body();
  const records = isRecord(body) && Array.isArray(body['records']) ? body['records'] : [];
  const allOrNone = isRecord(body) && body['allOrNone'] === true;
  if (records.length > MAX_RECORDS)
    throw badInput(
      `record limit reached. cannot submit more than ${MAX_RECORDS} records into this call`,
      'EXCEEDED_ID_LIMIT',
    );
  const inputs = records.map((record) => {
    const { attributes, ...fields } = isRecord(record) ? record : {};
    const type = isRecord(attributes) ? String(attributes['type']) : '';
    checkColumns(tableOf(apiRequest, type), Object.keys(fields));
    return { type, fields };
  });
  const results = inputs.map(({ type, fields }) => {
    try {
      const { id: givenId, Id: otherId, ...values } = fields;
      const id = givenId ?? otherId;
      const isUpdate = apiRequest.method === 'PATCH';
      const done = write(apiRequest, { type, values, id: isUpdate ? String(id) : undefined });
      return { id: done, success: true, errors: [] };
    } catch (error) {
      if (!(error instanceof SalesforceError)) throw error;
      return { success: false, errors: [toError(error)] };
    }
  });
  if (!allOrNone || results.every(({ success }) => success)) return { status: 200, body: results };
  // Nothing of such a call is kept by the live service; no test of ours needs that.
  throw badInput('allOrNone is not simulated', 'ALL_OR_NONE_OPERATION_ROLLED_BACK');
}

/** `DELETE` of `composite/sobjects?ids=…`: rows that stand for links, which fail one by one. */
export function answerCollectionDeletion(apiRequest: ApiRequest): Reply {
  const ids = (apiRequest.query.get('ids') ?? '').split(',').filter((id) => id !== '');
  if (ids.length > MAX_RECORDS)
    throw badInput(
      `record limit reached. cannot submit more than ${MAX_RECORDS} records into this call`,
      'EXCEEDED_ID_LIMIT',
    );
  const results = ids.map((id) => {
    try {
      const table = [...apiRequest.database.tables()].find(({ definition }) =>
        id.startsWith(definition.keyPrefix),
      );
      const remove = WRITERS[table?.definition.name ?? '']?.remove;
      if (!table || !remove)
        throw new SalesforceError(400, 'INSUFFICIENT_ACCESS_OR_READONLY', 'is not simulated');
      remove(apiRequest.account, String(findRow(table, id)['Id']));
      return { id, success: true, errors: [] };
    } catch (error) {
      if (!(error instanceof SalesforceError)) throw error;
      return { id, success: false, errors: [toError(error)] };
    }
  });
  return { status: 200, body: results };
}

/** `POST sobjects/Contact`, `PATCH sobjects/Contact/{id}` and `PATCH sobjects/Contact/Email/{email}`. */
export function answerRecordWrite(apiRequest: ApiRequest): Reply {
  const [, type = '', first, second] = apiRequest.path;
  const table = tableOf(apiRequest, type);
  const body = apiRequest.body();
  const values = isRecord(body) ? body : {};
  checkColumns(table, Object.keys(values));
  if (apiRequest.method === 'POST') {
    const id = write(apiRequest, { type, values, id: undefined });
    return { status: 201, body: { id, success: true, errors: [] } };
  }
  if (first === undefined) throw notFound();
  if (second !== undefined)
    return answerUpsert(apiRequest, { type, column: first, value: second, values });
  write(apiRequest, { type, values, id: first });
  return { status: 204, body: undefined };
}

function answerUpsert(apiRequest: ApiRequest, { type, column, value, values }: Upsert): Reply {
  const table = tableOf(apiRequest, type);
  const { name } = table.definition.fields.get(column.toLowerCase()) ?? {};
  if (name === undefined) throw notFound();
  const found: string[] = [];
  for (let place = 0; place < table.size(); place += 1) {
    const row = table.rowAt(place);
    const isMatch = String(row[name] ?? '').toLowerCase() === value.toLowerCase();
    if (isMatch && row['IsDeleted'] !== true) found.push(String(row['Id']));
  }
  const url = (id: string) => `/services/data/v${apiRequest.version}/sobjects/${type}/${id}`;
  if (found.length > 1) return { status: 300, body: found.map(url) };
  const [id] = found;
  if (id === undefined && apiRequest.query.get('updateOnly') === 'true') throw notFound();
  const done = write(apiRequest, { type, values: { ...values, [name]: value }, id });
  return {
    status: id === undefined ? 201 : 200,
    body: { id: done, success: true, errors: [], created: id === undefined },
  };
}

function write(apiRequest: ApiRequest, { type, values, id }: Writing): string {
  const table = tableOf(apiRequest, type);
  const { name } = table.definition;
  const writer = WRITERS[name];
  if (writer === undefined)
    throw new SalesforceError(
      400,
      'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
      `${name} is not simulated`,
    );
  const before = id === undefined ? undefined : findRow(table, id);
  const named = new Map(
    Object.entries(values).map(([given, value]) => {
      const field = table.definition.fields.get(given.toLowerCase()) as FieldDefinition;
      checkValue(field, value, name);
      return [field.name, value] as const;
    }),
  );
  const current = (column: string) => (named.has(column) ? named.get(column) : before?.[column]);
  const missing = writer.requires.filter((column) =>
    [null, undefined, ''].includes(current(column) as null),
  );
  if (missing.length > 0)
    throw new SalesforceError(
      400,
      'REQUIRED_FIELD_MISSING',
      `Required fields are missing: [${missing.join(', ')}]`,
      missing,
    );
  checkRule(apiRequest.account, named);
  checkCondition(apiRequest, before);
  checkUnique(table, named, before);
  writer.check?.(apiRequest, { named, before, current });
  if (before !== undefined) {
    writer.change(apiRequest.account, String(before['Id']), named);
    return String(before['Id']);
  }
  return writer.create(apiRequest.account, named);
}

/** No two records have one value of a unique field. */
function checkUnique(table: Table, named: Named, before: Row | undefined): void {
  for (const [column, value] of named) {
    const field = table.definition.fields.get(column.toLowerCase());
    if (!field?.isUnique || value === null) continue;
    for (let place = 0; place < table.size(); place += 1) {
      const row = table.rowAt(place);
      const isSame = String(row[column] ?? '').toLowerCase() === String(value).toLowerCase();
      if (isSame && row['IsDeleted'] !== true && row['Id'] !== before?.['Id'])
        throw badInput(
          `duplicate value found: ${column} duplicates value on record with id: ${String(row['Id']).slice(0, 15)}`,
          'DUPLICATE_VALUE',
        );
    }
  }
}

function findRow(table: Table, id: string): Row {
  const id15 = toId15(id);
  if (id15 === undefined) throw new SalesforceError(400, 'MALFORMED_ID', `malformed id ${id}`);
  const row = table.find(id15);
  if (row === undefined) throw new SalesforceError(404, 'NOT_FOUND', 'invalid cross reference id');
  if (row['IsDeleted'] === true)
    throw new SalesforceError(404, 'ENTITY_IS_DELETED', 'entity is deleted');
  return row;
}

function checkColumns({ definition }: Table, names: readonly string[]): void {
  const unknown = names.find((name) => !definition.fields.has(name.toLowerCase()));
  if (unknown !== undefined)
    throw badInput(
      `No such column '${unknown}' on sobject of type ${definition.name}`,
      'INVALID_FIELD',
    );
}

function checkValue(field: FieldDefinition, value: unknown, objectName: string): void {
  const { name, label = name, type, length, values } = field;
  if (!isWritable(field, objectName))
    throw new SalesforceError(
      400,
      'INVALID_FIELD_FOR_INSERT_UPDATE',
      `Unable to create/update fields: ${name}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`,
      [name],
    );
  if (value === null) {
    if (type === 'boolean')
      throw badInput(`Cannot deserialize instance of boolean from VALUE_NULL`, 'JSON_PARSER_ERROR');
    return;
  }
  if (type === 'boolean' && typeof value !== 'boolean')
    throw badInput('Cannot deserialize instance of boolean', 'JSON_PARSER_ERROR');
  if (typeof value === 'string' && length > 0 && value.length > length)
    throw new SalesforceError(
      400,
      'STRING_TOO_LONG',
      `${label}: data value too large: ${value} (max length=${length})`,
      [name],
    );
  if (type === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(String(value)))
    throw new SalesforceError(
      400,
      'INVALID_EMAIL_ADDRESS',
      `${label}: invalid email address: ${String(value)}`,
      [name],
    );
  const given = String(value).split(';');
  if (field.isRestricted && !given.every((one) => values.includes(one)))
    throw new SalesforceError(
      400,
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      `${label}: bad value for restricted picklist field: ${String(value)}`,
      [name],
    );
}

/** What describe says as well. */
export function isWritable(
  { name, type, isCalculated }: FieldDefinition,
  objectName: string,
): boolean {
  if (isCalculated || type === 'address' || type === 'location' || type === 'id') return false;
  // A person's name has parts.
  return name === 'Name' ? objectName !== 'Contact' : !SYSTEM_FIELDS.has(name);
}

function checkRule({ quirks: { validationRule } }: SalesforceAccount, named: Named): void {
  if (validationRule && named.get(validationRule.field) === validationRule.value)
    throw new SalesforceError(400, 'FIELD_CUSTOM_VALIDATION_EXCEPTION', validationRule.message, []);
}

function checkCondition({ ifUnmodifiedSince }: ApiRequest, before: Row | undefined): void {
  if (ifUnmodifiedSince === undefined || before === undefined) return;
  const changed = Math.floor(Date.parse(String(before['LastModifiedDate'])) / 1_000);
  if (changed > Math.floor(ifUnmodifiedSince / 1_000))
    throw new SalesforceError(
      412,
      'PRECONDITION_FAILED',
      'The entity was modified since the given time',
    );
}

/** Of one record of a collection, where the code has another name than elsewhere. */
function toError({ errorCode, message, fields = [], more }: SalesforceError): object {
  return { statusCode: errorCode, message, fields, ...more };
}

function tableOf({ database }: ApiRequest, type: string): Table {
  const table = database.table(type);
  if (table === undefined) throw notFound();
  return table;
}

const WRITERS: Readonly<Record<string, ObjectWriter>> = {
  Contact: CONTACT_WRITER,
  Account: ACCOUNT_WRITER,
  Opportunity: OPPORTUNITY_WRITER,
  OpportunityContactRole: ROLE_WRITER,
  AccountContactRelation: RELATION_WRITER,
};

const MAX_RECORDS = 200;
const SYSTEM_FIELDS: ReadonlySet<string> = new Set([
  'Id',
  'IsDeleted',
  'MasterRecordId',
  'CreatedDate',
  'CreatedById',
  'LastModifiedDate',
  'LastModifiedById',
  'SystemModstamp',
  'LastActivityDate',
  'LastViewedDate',
  'LastReferencedDate',
  'IsEmailBounced',
  'EmailBouncedReason',
  'EmailBouncedDate',
  // Of opportunities: they follow the stage.
  'IsClosed',
  'IsWon',
  'ForecastCategory',
  // Of relations.
  'IsDirect',
]);

interface Writing {
  readonly type: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Absent: it is created. */
  readonly id: string | undefined;
}

interface Upsert extends Omit<Writing, 'id'> {
  readonly column: string;
  readonly value: string;
}
