import type { DocumentKind } from './line.ts';
import { DATA_FOR_STRANGERS, META_FIELDS, TYPE_NAMES } from './meta-fields.ts';
import { NEIGHBOURS, TOKENS } from './tenants.ts';
import { TEXTS } from './texts.ts';
import { TOOLS } from './tools.ts';
import { HEAVY_DATA, ORDINARY, SHAPES, UNKNOWN_HASHES, VALUES } from './ways-in.ts';
import { LONG_RESPONSES, WORK } from './work.ts';

/** Every document of the corpus. */
export const DOCUMENTS: readonly DocumentKind[] = [
  TOOLS,
  ORDINARY,
  META_FIELDS,
  TYPE_NAMES,
  DATA_FOR_STRANGERS,
  TEXTS,
  SHAPES,
  UNKNOWN_HASHES,
  VALUES,
  HEAVY_DATA,
  WORK,
  LONG_RESPONSES,
  NEIGHBOURS,
  TOKENS,
];
