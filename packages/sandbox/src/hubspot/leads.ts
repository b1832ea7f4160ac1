import type { Person } from '../people.ts';
import { ownerId, recordId } from './contact-view.ts';
import { createObjectEndpoints, type ShownRecord } from './simple-objects.ts';

/** One lead for each contact whose lifecycle stage is `lead`. */
export const LEADS = createObjectEndpoints({
  name: 'LEAD',
  open: ({ people }) => ({
    ids: (isArchived) =>
      isArchived
        ? []
        : people
            .all()
            .filter(isLead)
            .map(({ index }) => leadId(index)),
    show({ id, isArchived, requested }) {
      const person = isArchived ? undefined : people.get(id - FIRST_LEAD);
      return person && isLead(person) ? toShown(person, requested) : undefined;
    },
  }),
});

export function isLead({ lifecycleStage, isDeleted }: Person): boolean {
  return lifecycleStage === 'lead' && !isDeleted;
}

function toShown(person: Person, requested: readonly string[] = []): ShownRecord {
  const all = toProperties(person);
  const names = [...new Set([...ALWAYS, ...requested])].filter((name) => name in all);
  return {
    id: String(all['hs_object_id']),
    properties: Object.fromEntries(names.map((name) => [name, all[name]])),
    createdAt: all['hs_createdate'],
    updatedAt: all['hs_lastmodifieddate'],
    archived: false,
  };
}

function toProperties(person: Person): Readonly<Record<string, string | null>> {
  const { index, firstName, lastName, ownerIndex, createdAt, updatedAt } = person;
  return {
    hs_object_id: String(leadId(index)),
    hs_lead_name: [firstName, lastName].filter(Boolean).join(' '),
    hs_lead_type: 'NEW_BUSINESS',
    hs_lead_label: 'WARM',
    hs_pipeline: 'lead-pipeline-id',
    hs_pipeline_stage: 'new-stage-id',
    hs_primary_contact_id: recordId(index),
    hubspot_owner_id: ownerIndex === null ? null : ownerId(ownerIndex),
    hs_createdate: new Date(createdAt).toISOString(),
    hs_lastmodifieddate: new Date(updatedAt).toISOString(),
  };
}

export function leadId(index: number): number {
  return FIRST_LEAD + index;
}

const ALWAYS = ['hs_createdate', 'hs_lastmodifieddate', 'hs_object_id'];
const FIRST_LEAD = 395_700_000;
