import { date, nullable, type Of, patch, shape, string } from './shape.ts';

const FIELDS = {
  displayName: nullable(
    string,
    'Name that your customers see instead of the name of the application, at most 100 characters. Null: the application’s name.',
    { example: 'Acme Support' },
  ),
  accentColor: nullable(
    string,
    'Color of buttons, e.g. `#0f766e`. White or dark text must be readable on it: a contrast of at least 4.5. Null: Crossbook’s color.',
    { example: '#0f766e' },
  ),
  logo: nullable(
    string,
    'Logo: a PNG in base64, at most 64 KiB and 512 × 512 pixels. It is stored without metadata. Null: no logo.',
  ),
};

/** What an application's customers see of it on the pages of connect links. */
export const branding = shape(
  'Branding',
  'What your customers see of your application on the pages of connect links.',
  { ...FIELDS, updatedAt: nullable(date, 'Time of the last change. Null: never changed.') },
);
export type Branding = Of<typeof branding>;

export const brandingChange = patch('BrandingInput', 'A change of your branding.', {}, FIELDS);
export type BrandingChange = Of<typeof brandingChange>;

export const NO_BRANDING: Branding = {
  displayName: null,
  accentColor: null,
  logo: null,
  updatedAt: null,
};

export const MAX_DISPLAY_NAME = 100;
export const MAX_LOGO_BYTES = 64 * 1024;
export const MAX_LOGO_SIDE = 512;

/** The branding of ONE application. */
export interface BrandingStore {
  read(): Promise<Branding>;
  /** Absent fields stay unchanged. */
  change(change: BrandingChange): Promise<Branding>;
}

/** What a page of a link shows of its application. */
export interface BrandedApplication {
  readonly name: string;
  readonly accentColor: string | null;
  readonly hasLogo: boolean;
}

/** The text color that is readable on a color: `#rrggbb`. Undefined: neither white nor dark text is. */
export function toTextColor(color: string): string | undefined {
  return [LIGHT_TEXT, DARK_TEXT].find((text) => toContrast(text, color) >= MIN_CONTRAST);
}

export const LIGHT_TEXT = '#ffffff';
export const DARK_TEXT = '#0b1420';
/** Of WCAG 2.2, level AA, for text. */
export const MIN_CONTRAST = 4.5;

/** The contrast of two colors as WCAG 2.2 defines it, from 1 to 21. */
export function toContrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [toLuminance(one), toLuminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function toLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
