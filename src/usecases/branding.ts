import {
  type Branding,
  type BrandingChange,
  type BrandingStore,
  DARK_TEXT,
  LIGHT_TEXT,
  MAX_DISPLAY_NAME,
  MAX_LOGO_BYTES,
  MIN_CONTRAST,
  toContrast,
  toTextColor,
} from '../domain/branding.ts';
import { refuseMistakes } from '../domain/errors.ts';
import { isStorable } from '../lib/text.ts';
import { type CallerDeps, withApiKey } from './authorization.ts';

/** Reads what the application's customers see of it. */
export function readBranding(deps: BrandingDeps): Promise<Branding> {
  return withApiKey(deps, 'readBranding', () => deps.branding.read());
}

/** Changes what the application's customers see of it. Pages that are opened from then on show it. */
export function updateBranding(deps: BrandingDeps, change: BrandingChange): Promise<Branding> {
  return withApiKey(deps, 'updateBranding', () => storeBranding(deps, change));
}

/** The same for a command, which has no caller. */
export async function storeBranding(
  deps: Pick<BrandingDeps, 'branding' | 'cleanLogo'>,
  change: BrandingChange,
): Promise<Branding> {
  const name = checkName(change.displayName);
  const color = checkColor(change.accentColor);
  const logo = await checkLogo(deps, change.logo);
  const mistakes = [name, color, logo].flatMap(({ mistake }) => mistake ?? []);
  refuseMistakes(mistakes);
  return deps.branding.change({
    displayName: name.value,
    accentColor: color.value,
    logo: logo.value,
  });
}

type TextChange = string | null | undefined;
type Checked = { readonly value?: TextChange; readonly mistake?: string };

function checkName(name: TextChange): Checked {
  if (name === null || name === undefined) return { value: name };
  const value = name.trim();
  const isFit =
    value !== '' &&
    value.length <= MAX_DISPLAY_NAME &&
    isStorable(value) &&
    !/[\p{Cc}\p{Bidi_Control}]/u.test(value);
  if (isFit) return { value };
  return {
    mistake: `The display name must have 1 to ${MAX_DISPLAY_NAME} characters, and no control characters`,
  };
}

function checkColor(color: TextChange): Checked {
  if (color === null || color === undefined) return { value: color };
  const value = color.toLowerCase();
  if (!/^#[0-9a-f]{6}$/.test(value))
    return { mistake: 'The accent color must be written as #rrggbb, such as #0f766e' };
  if (toTextColor(value) !== undefined) return { value };
  const [light, dark] = [LIGHT_TEXT, DARK_TEXT].map((text) =>
    // Rounded down: 4.498 is not enough.
    (Math.floor(toContrast(text, value) * 100) / 100).toFixed(2),
  );
  return {
    mistake: `The accent color ${value} has a contrast of ${light} with white text and ${dark} with dark text, and one must be at least ${MIN_CONTRAST}: choose a darker or a lighter color`,
  };
}

async function checkLogo(
  deps: Pick<BrandingDeps, 'cleanLogo'>,
  logo: TextChange,
): Promise<Checked> {
  if (logo === null || logo === undefined) return { value: logo };
  const tooLarge = { mistake: `The logo has more than ${MAX_LOGO_BYTES / 1024} KiB` };
  if (logo.length > MAX_BASE64) return tooLarge;
  if (!BASE64.test(logo)) return { mistake: 'The logo must be a PNG image in base64' };
  const png = Buffer.from(logo, 'base64');
  const clean = png.length > MAX_LOGO_BYTES ? undefined : await deps.cleanLogo(png);
  if (typeof clean === 'string') return { mistake: `The logo cannot be used: ${clean}` };
  // Compressed again, it may have become longer.
  if (!clean || clean.length > MAX_LOGO_BYTES) return tooLarge;
  return { value: clean.toString('base64') };
}

const MAX_BASE64 = Math.ceil(MAX_LOGO_BYTES / 3) * 4;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export interface BrandingDeps extends CallerDeps {
  readonly branding: BrandingStore;
  /** Writes a PNG again with nothing but its pixels. Resolves to a text that says why it cannot be used. */
  cleanLogo(png: Buffer): Promise<Buffer | string>;
}
