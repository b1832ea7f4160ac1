import { CONFIGURATION_FIELDS } from '../domain/connection.ts';
import { CONNECTION_COLUMNS } from './schema.ts';

const MAPPINGS = ['contactFieldMappings', 'recordFieldMappings'] as const;
/** The configurations that an upsert writes. */
const UPSERTED = CONFIGURATION_FIELDS.filter((field) => field !== 'customFieldMappings');

/**
 * The connections of a row's customer. $1: application. Only indexes with the customer have this order, so that one of
 * them is used also while the table has no statistics: then the primary key seems as good, and every row would be read.
 */
export const connectionsOf = (row: string, condition?: string) => `(
  select * from crossbook.connections
  where application_id = $1::uuid and customer_id = ${row}.customer_id${condition === undefined ? '' : ` and ${condition}`}
  order by provider_name
)`;

/** Aggregates rows of connections into a list. */
export const CONNECTIONS_JSON = toJson(({ name }) => name);

/** The same without configurations, which are null in it. */
export const PLAIN_CONNECTIONS_JSON = toJson(({ name, isConfiguration }) =>
  isConfiguration ? 'null' : name,
);

function toJson(toValue: (column: { name: string; isConfiguration: boolean }) => string): string {
  const values = Object.entries(CONNECTION_COLUMNS).map(([field, { name }]) => {
    const isConfiguration = [...UPSERTED, ...MAPPINGS].some((one) => one === field);
    return `'${field}', ${toValue({ name, isConfiguration })}`;
  });
  return `coalesce(json_agg(json_build_object(${values.join(', ')})), '[]')`;
}

/** Bytes of a row of connections without its configurations, of which 512 are names and ids. */
export const PLAIN_CONNECTION_BYTES = `(512 + coalesce(octet_length(instance_url), 0)
  + coalesce(octet_length(account_name), 0) + coalesce(octet_length(account_url), 0)
  + pg_column_size(granted_scopes))`;

const textBytesOf = (field: keyof typeof CONNECTION_COLUMNS) =>
  `coalesce(octet_length(${CONNECTION_COLUMNS[field].name}::text), 0)`;

/** A row that was written before the column existed is measured, as are mappings, which no upsert writes. */
export const CONNECTION_BYTES = `(${PLAIN_CONNECTION_BYTES}
  + coalesce(configuration_bytes, ${UPSERTED.map(textBytesOf).join(' + ')}) + ${MAPPINGS.map(textBytesOf).join(' + ')})`;
