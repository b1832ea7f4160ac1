import { readFileSync } from 'node:fs';
import { findBuilt } from '../../lib/built-file.ts';

/** The guides that `build/guides.mjs` has rendered, by reader. Read once, at the first request. */
export function readGuides(): readonly GuideGroup[] {
  groups ??= read();
  return groups;
}

let groups: readonly GuideGroup[] | undefined;

function read(): readonly GuideGroup[] {
  const file = findBuilt('guides.json');
  if (!file) throw new Error('The guides are not built: run `npm run build` once.');
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Sections that have every word, those with the words in their heading first. */
export function searchGuides(groups: readonly GuideGroup[], text: string): readonly FoundSection[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const found: (FoundSection & { readonly weight: number })[] = [];
  for (const { guides } of groups) {
    for (const guide of guides) {
      for (const section of guide.sections) {
        const heading = `${guide.title} ${section.heading}`.toLowerCase();
        const content = `${heading} ${section.text.toLowerCase()}`;
        if (!words.every((word) => content.includes(word))) continue;
        const weight = words.filter((word) => heading.includes(word)).length;
        found.push({ guide, section, excerpt: toExcerpt(section.text, words[0] ?? ''), weight });
      }
    }
  }
  return found.sort((one, other) => other.weight - one.weight).slice(0, MAX_FOUND);
}

function toExcerpt(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT / 3);
  const start = at === 0 ? 0 : text.indexOf(' ', at) + 1;
  const rest = text.slice(start);
  if (rest.length <= EXCERPT) return `${start > 0 ? '… ' : ''}${rest}`;
  const cut = rest.slice(0, rest.lastIndexOf(' ', EXCERPT));
  return `${start > 0 ? '… ' : ''}${cut} …`;
}

const MAX_WORDS = 8;
const MAX_FOUND = 30;
const EXCERPT = 180;

export interface GuideGroup {
  readonly title: string;
  readonly guides: readonly Guide[];
}

export interface Guide {
  readonly slug: string;
  readonly title: string;
  readonly question: string;
  /** With `%BASE%` for the path of the public URL. */
  readonly html: string;
  readonly sections: readonly Section[];
}

interface Section {
  readonly heading: string;
  /** Empty for the beginning of the page. */
  readonly anchor: string;
  /** Of the heading: 1 for the page. */
  readonly depth: number;
  readonly text: string;
}

interface FoundSection {
  readonly guide: Guide;
  readonly section: Section;
  readonly excerpt: string;
}
