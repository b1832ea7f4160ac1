import { type Branding, type BrandingStore, NO_BRANDING } from '../domain/branding.ts';
import type { StoreDeps } from './store-deps.ts';

/** The branding of one application. */
export function createBranding({ engine, now }: StoreDeps, applicationId: string): BrandingStore {
  return {
    async read() {
      const [row] = await engine.query<Branding>(READ, [applicationId]);
      return row ?? NO_BRANDING;
    },
    async change({ displayName, accentColor, logo }) {
      const given = [displayName, accentColor, logo];
      const values = given.flatMap((value) => [value ?? null, value !== undefined]);
      const [row] = await engine.query<Branding>(CHANGE, [
        applicationId,
        ...values,
        now().toISOString(),
      ]);
      if (!row) throw new Error('PostgreSQL returned nothing for an insert');
      return row;
    },
  };
}

const SHOWN = `display_name as "displayName", accent_color as "accentColor", logo,
  updated_at as "updatedAt"`;

const READ = {
  name: 'read_branding',
  text: `select ${SHOWN} from crossbook.branding where application_id = $1::uuid`,
};

/** Each value is followed by whether it was given. */
const CHANGE = {
  name: 'change_branding',
  text: `
insert into crossbook.branding as old (application_id, display_name, accent_color, logo, updated_at)
values ($1::uuid, $2::text, $4::text, $6::text, $8::timestamptz)
on conflict (application_id) do update set
  display_name = case when $3::boolean then excluded.display_name else old.display_name end,
  accent_color = case when $5::boolean then excluded.accent_color else old.accent_color end,
  logo = case when $7::boolean then excluded.logo else old.logo end,
  updated_at = excluded.updated_at
returning ${SHOWN}`,
};
