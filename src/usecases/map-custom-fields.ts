import type { Connection, ConnectionTarget } from '../domain/connection.ts';
import type { CustomFieldMapping, GivenFieldMapping } from '../domain/custom-field.ts';
import { type CustomField, MAX_CUSTOM_FIELDS } from '../domain/custom-fields.ts';
import type { Customer } from '../domain/customer.ts';
import { refuseMistakes } from '../domain/errors.ts';
import type { Providers } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import type { RecordTarget } from '../domain/records/record-search.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import { quote } from '../lib/text.ts';
import { checkCustomerId, customerNotFound, resolveTarget, withApiKey } from './authorization.ts';
import { describeMistakes, findSourceMistake, refuseMoreThan } from './custom-field-mistakes.ts';
import type { CustomFieldDeps } from './declare-custom-fields.ts';
import type { OpenDeps } from './open-crm-client.ts';

/** Replaces a customer's mappings of custom fields of one type of record to one provider. A field that the CRM lacks is no error. */
export function setFieldMappings(
  deps: MapDeps,
  { customerId, provider, record, mappings }: MappingsInput,
): Promise<Connection> {
  return withApiKey(deps, 'setFieldMappings', async () => {
    checkCustomerId(customerId);
    const target = { customerId, providerName: provider };
    const { definitions } = (await deps.customFields.read())[record];
    checkMappings(mappings, { record, fields: definitions, provider, providers: deps.providers });
    const chosen = mappings.map(({ field, source }) => ({ field, source }));
    const isStored = await deps.customFields.setMappings(target, record, chosen);
    if (!isStored) throw customerNotFound(customerId, provider);
    const connection = await deps.reloadConnection(target);
    if (!connection) throw customerNotFound(customerId, provider);
    deps.invalidateCustomer({ customerId, connections: [connection] });
    return connection;
  });
}

function checkMappings(
  mappings: readonly GivenFieldMapping[],
  { record, fields, provider, providers }: MappedProvider,
): void {
  refuseMoreThan(MAX_CUSTOM_FIELDS, 'mappings', mappings);
  const known = new Set(fields.map(({ name }) => name));
  const names = mappings.map(({ field }) => field);
  refuseMistakes(
    mappings.flatMap(({ field, source }, index) =>
      describeMistakes(`mappings[${index}] ${quote(field)}`, [
        !known.has(field) && `no custom field of ${RECORDS[record].nouns} has this name`,
        names.indexOf(field) < index && 'the field is mapped more than once',
        findSourceMistake(source, provider, providers),
      ]),
    ),
  );
}

/** A customer's mappings to one provider, for an API key or the customer's token. */
export async function readFieldMappings(
  deps: MappingsDeps,
  target: RecordTarget,
  record: RecordType,
): Promise<readonly CustomFieldMapping[]> {
  return listFieldMappings(await findMappedConnection(deps, target), record);
}

export function listFieldMappings(
  { customFieldMappings }: Pick<Connection, 'customFieldMappings'>,
  record: RecordType,
): readonly CustomFieldMapping[] {
  return (customFieldMappings ?? []).filter((mapping) => mapping.record === record);
}

export async function findMappedConnection(
  deps: MappingsDeps,
  target: RecordTarget,
): Promise<Connection> {
  const resolved = resolveTarget(deps, target);
  const connection = await deps.loadConnection(resolved);
  if (connection) return connection;
  throw customerNotFound(resolved.customerId, resolved.providerName);
}

interface MappingsInput {
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly record: RecordType;
  readonly mappings: readonly GivenFieldMapping[];
}

interface MappedProvider {
  readonly record: RecordType;
  readonly fields: readonly CustomField[];
  readonly provider: ProviderName;
  readonly providers: Providers;
}

type MappingsDeps = Omit<OpenDeps, 'openCrmPort'>;

export interface MapDeps extends CustomFieldDeps {
  readonly providers: Providers;
  /** Reads the connection from the database, past all caches. */
  reloadConnection(target: ConnectionTarget): Promise<Connection | undefined>;
  invalidateCustomer(customer: Pick<Customer, 'customerId' | 'connections'>): void;
}
