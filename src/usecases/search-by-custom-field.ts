import { readCustomFieldValue } from '../domain/custom-field-values.ts';
import type { ProviderField, ProviderFieldType } from '../domain/custom-fields.ts';
import {
  type CustomFieldFilter,
  type FilterValue,
  NotFilterableError,
  type RecordFilter,
  readFilterValue,
} from '../domain/records/conditions.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import type { FieldSelection } from '../domain/records/record-search.ts';
import { refuseUndeclared } from './custom-field-mistakes.ts';
import type { CrmClient } from './open-crm-client.ts';
import { attemptProviderFields, type ProviderFieldDeps } from './provider-fields.ts';
import type { SelectionDeps } from './select-custom-fields.ts';

/**
 * Searches by a custom field in the connection's CRM. Undefined if no record can have the value: the custom field has no
 * source there, or one of a type that has no such value. The type of the CRM's field decides how it is compared; a type
 * that is no longer right is read again once.
 */
export async function searchByCustomField<Found>(
  deps: ProviderFieldDeps & Pick<SelectionDeps, 'loadCustomFields'>,
  { kind, client, filter, selection }: CustomFieldSearch,
  search: (filter: CustomFieldFilter) => Promise<Found>,
): Promise<Found | undefined> {
  const customFields = (await deps.loadCustomFields())[kind.type];
  refuseUndeclared(customFields, [filter.name]);
  const type = customFields.definitions.find(({ name }) => name === filter.name)?.type ?? 'TEXT';
  const value = readFilterValue(type, filter.equals);
  const field = selection.customFields?.fields.find(({ name }) => name === filter.name);
  if (!field) return undefined;
  const findField = async (refresh: boolean) => {
    const known = await attemptProviderFields(
      deps,
      kind,
      () => client,
      refresh ? 'again' : 'today',
    );
    return known?.fields.find(({ name }) => name.toLowerCase() === field.source.toLowerCase());
  };
  const attempt = (known: ProviderField | undefined) => {
    if (known && !known.isFilterable) throw new NotFilterableError(field);
    if (known && !canHave(known.type, value)) return undefined;
    return search({ by: 'customField', field, value, sourceType: known?.type });
  };
  const known = await findField(false);
  try {
    try {
      return await attempt(known);
    } catch (error) {
      const current = error instanceof NotFilterableError ? await findField(true) : undefined;
      if (current?.type === known?.type && current?.isFilterable === known?.isFilterable)
        throw error;
      return await attempt(current);
    }
  } catch (error) {
    if (error instanceof NotFilterableError)
      selection.customFields?.onProblem(field, 'NOT_FILTERABLE');
    throw error;
  }
}

/** Whether a field of this type can have the value: a text that is no number is in no number field. */
function canHave(type: ProviderFieldType, value: FilterValue): boolean {
  if (type === 'OTHER' || type === 'REFERENCE') return true;
  const read = readCustomFieldValue(type, value);
  return read !== undefined && read !== null;
}

interface CustomFieldSearch {
  readonly kind: RecordKind<CrmRecord>;
  readonly client: CrmClient;
  readonly filter: Extract<RecordFilter, { readonly by: 'customField' }>;
  readonly selection: FieldSelection;
}
