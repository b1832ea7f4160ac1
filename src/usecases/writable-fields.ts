import { CrossbookError } from '../domain/errors.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import { WRITABLE_RECORDS } from '../domain/records/catalogue.ts';
import type { RecordTarget } from '../domain/records/record-search.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import type { WritableField } from '../domain/writing.ts';
import { openCrmClient } from './open-crm-client.ts';
import { findProviderFields, type ProviderFieldDeps } from './provider-fields.ts';

/** The fields of the CRM that records of a type can be written with: read once a day. */
export function listWritableFields(
  deps: ProviderFieldDeps,
  target: RecordTarget,
  type: RecordType,
): Promise<readonly WritableField[]> {
  return deps.withSpan('listWritableFields', async () => {
    const kind = WRITABLE_RECORDS.find(({ record }) => record.type === type);
    const client = kind && (await openCrmClient(deps, target, kind.record));
    if (!kind || !client?.access.records[type]?.writes) {
      const where = client ? ` in ${PROVIDER_TITLES[client.connection.providerName]}` : '';
      throw new CrossbookError(
        'NOT_IMPLEMENTED',
        `Records of the type ${type} cannot be written${where}.`,
      );
    }
    const { fields } = await findProviderFields(deps, kind.record, client, 'today');
    return fields
      .filter(({ writing }) => writing.canCreate || writing.canUpdate)
      .map(({ writing, ...field }) => ({ ...field, ...writing }));
  });
}
