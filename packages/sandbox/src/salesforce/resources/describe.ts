import type { Reply } from '../answers.ts';
import type { Database, FieldDefinition, FieldType, ObjectDefinition } from '../soql/table.ts';
import type { ApiRequest } from './api-request.ts';
import { isWritable } from './writes.ts';

/** Hundreds of kilobytes in the real service, hence conditional requests: 304 if unchanged. */
export function answerDescribe(apiRequest: ApiRequest, definition: ObjectDefinition): Reply {
  if (apiRequest.ifModifiedSince >= DEFINED_AT) return { status: 304, body: undefined };
  return {
    status: 200,
    body: describeObject(apiRequest, definition),
    headers: { 'last-modified': new Date(DEFINED_AT).toUTCString() },
  };
}

/** The description of an object and its fields, as far as clients of records read it. */
function describeObject({ version, database }: ApiRequest, definition: ObjectDefinition): object {
  return {
    ...summarize(definition, version),
    fields: [...definition.fields.values()].map((field) => describeField(field, definition.name)),
    childRelationships: listChildren(database, definition),
    recordTypeInfos: [],
  };
}

function listChildren(database: Database, { name }: ObjectDefinition): readonly object[] {
  return [...database.tables()].flatMap(({ definition }) =>
    [...definition.fields.values()]
      .filter(({ referenceTo }) => referenceTo === name)
      .map((field) => ({
        cascadeDelete: false,
        childSObject: definition.name,
        field: field.name,
        relationshipName: field.childRelationshipName,
      })),
  );
}

export function describeGlobal({ database, version }: ApiRequest): object {
  const sobjects = [...database.tables()]
    .map(({ definition }) => summarize(definition, version))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  return { encoding: 'UTF-8', maxBatchSize: 200, sobjects };
}

function summarize({ name, keyPrefix }: ObjectDefinition, version: string) {
  const url = `/services/data/v${version}/sobjects/${name}`;
  return {
    name,
    label: name,
    labelPlural: `${name}s`,
    keyPrefix,
    custom: name.endsWith('__c'),
    queryable: true,
    retrieveable: true,
    searchable: true,
    createable: true,
    updateable: true,
    urls: { sobject: url, describe: `${url}/describe`, rowTemplate: `${url}/{ID}` },
  };
}

function describeField(field: FieldDefinition, objectName: string): object {
  const { name, type, length, nillable, relationshipName, referenceTo, values, encryption } = field;
  const isPlain = type !== 'address' && type !== 'location' && encryption === undefined;
  return {
    name,
    label: field.label ?? toLabel(name),
    type,
    length,
    nillable,
    custom: name.endsWith('__c'),
    soapType: SOAP_TYPES[type] ?? 'xsd:string',
    byteLength: length * 3,
    encrypted: encryption !== undefined,
    filterable: !field.isUnfilterable && (isPlain || encryption === 'deterministic'),
    sortable: isPlain,
    groupable: isPlain && type !== 'datetime',
    aggregatable: isPlain,
    idLookup: type === 'id' || type === 'email',
    createable: isWritable(field, objectName),
    updateable: isWritable(field, objectName),
    defaultedOnCreate: type === 'boolean' || name === 'OwnerId',
    restrictedPicklist: field.isRestricted ?? false,
    caseSensitive: false,
    unique: field.isUnique ?? false,
    externalId: field.isUnique ?? false,
    calculated: field.isCalculated ?? false,
    relationshipName,
    referenceTo: referenceTo === null ? [] : [referenceTo],
    compoundFieldName: compoundOf(name),
    picklistValues: values.map((value) => ({
      value,
      label: value,
      active: true,
      defaultValue: false,
      validFor: null,
    })),
  };
}

function toLabel(name: string): string {
  return name
    .replace(/__c$/, '')
    .replaceAll('_', ' ')
    .replace(/([a-z])(?=[A-Z])/g, '$1 ');
}

/** The compound field that contains this one. */
function compoundOf(name: string): string | null {
  if (name === 'FirstName' || name === 'LastName' || name === 'Salutation') return 'Name';
  const kind =
    /^(Mailing|Other|Billing|Shipping)(?:Street|City|State|PostalCode|Country|StateCode|CountryCode)$/.exec(
      name,
    )?.[1];
  return kind === undefined ? null : `${kind}Address`;
}

const DEFINED_AT = Date.UTC(2026, 0, 5);

const SOAP_TYPES: Partial<Record<FieldType, string>> = {
  id: 'tns:ID',
  reference: 'tns:ID',
  boolean: 'xsd:boolean',
  int: 'xsd:int',
  long: 'xsd:long',
  double: 'xsd:double',
  currency: 'xsd:double',
  percent: 'xsd:double',
  time: 'xsd:time',
  location: 'urn:location',
  date: 'xsd:date',
  datetime: 'xsd:dateTime',
  address: 'urn:address',
};
