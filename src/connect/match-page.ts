import type { CustomFieldType } from '../domain/custom-field.ts';
import type { ProviderField, ProviderFieldType } from '../domain/custom-fields.ts';
import { type FieldMatch, toTitle } from '../domain/field-matching.ts';
import { PROVIDER_TITLES, type ProviderName } from '../domain/provider-names.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import { html, type Markup } from '../lib/html.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import {
  type FieldGroup,
  type MatchPage,
  type MatchResult,
  type Samples,
  toFormName,
} from '../usecases/match-fields.ts';
import { POPUP_SCRIPTS, type ShownLink, toLinkPage, toWayBack } from './frame.ts';

/**
 * The page on which a customer matches the application's custom fields with those of their CRM. It may have thousands of
 * options, so their length is limited.
 */
export function toMatchPage(
  page: Exclude<MatchResult, { readonly problem: string }>,
  { logoUrl, linkUrl }: MatchPageDeps,
): HttpResponse {
  const shown = { visited: page.visited, logoUrl };
  if ('isUnavailable' in page) return toUnavailablePage(page, shown, linkUrl);
  const { visited, provider, groups, mistaken } = page;
  const crm = PROVIDER_TITLES[provider];
  const isConnecting = visited.link.purpose === 'CONNECT';
  const app = html`<bdi>${visited.application.name}</bdi>`;
  const all = groups.flatMap(({ matches = [] }) => matches);
  const matched = all.filter(({ selected }) => selected !== null).length;
  const share = 1 / Math.max(1, all.length);
  const room = {
    options: Math.max(MIN_OPTIONS, Math.floor(MAX_OPTIONS * share)),
    characters: Math.floor(MAX_CHARACTERS * share),
  };
  return toLinkPage(shown, {
    status: mistaken === undefined ? 200 : 422,
    title: 'Match your fields',
    step: 'match',
    body: html`<h1>Match your fields</h1>
<p>${app} uses the fields below. For each of them, choose the field in ${crm} that has this information.</p>
<p class="soft">Fields with matching names are selected already. You can change them.</p>
<form method="post" action="${linkUrl}/fields">
${all.length > 0 ? html`<p id="matched" aria-live="polite" data-fields="${String(all.length)}">${toProgress(matched, all.length)}</p>` : undefined}
${groups.map((group) => toGroup(group, { provider, mistaken, room }))}
${all.length > 0 ? html`<button>Save and continue</button>` : html`<p>There are no fields to match.</p>`}
${isConnecting ? html`<button class="plain" name="skip" value="1">${all.length > 0 ? 'Skip this step' : 'Continue'}</button>` : undefined}
</form>
${isConnecting ? undefined : toWayBack(visited, { isSecondary: true })}
<p class="soft small">Is a field missing? Add it in ${crm}, then <a href="${linkUrl}/fields?refresh=1">load the list again</a>.</p>`,
    scripts: [
      ...(all.length > 0 ? [CHOOSE_FIELDS] : []),
      ...(isConnecting || visited.link.mode === 'REDIRECT' ? [] : POPUP_SCRIPTS),
    ],
    hasForm: true,
  });
}

function toProgress(matched: number, all: number): string {
  return `${matched} of ${all} fields matched`;
}

/** The custom fields of one type of record. */
function toGroup(
  { record, matches, samples }: FieldGroup,
  { provider, mistaken, room }: Omit<FieldPlace, 'formName' | 'samples'>,
): Markup {
  const { nouns, noun } = RECORDS[record];
  const fields = matches?.map((match) => {
    const formName = toFormName(record, match.field.name);
    return toField(match, { formName, provider, samples, mistaken, room });
  });
  return html`<h2>${nouns.slice(0, 1).toUpperCase() + nouns.slice(1)}</h2>
${
  fields ??
  html`<p>${PROVIDER_TITLES[provider]} did not return the list of your ${noun} fields. They stay as they are. Please try again in a few minutes.</p>
`
}`;
}

function toField(
  { field, options, selected, fallback }: FieldMatch,
  { formName, provider, samples, mistaken, room }: FieldPlace,
): Markup {
  const crm = PROVIDER_TITLES[provider];
  const id = `field-${formName}`;
  const about = html`${
    field.description === null
      ? undefined
      : html`<p class="soft small" id="${id}-about">${field.description}</p>
`
  }`;
  if (options.length === 0 && selected === null) {
    return html`<div class="field">
<b>${toTitle(field.name)}</b>
${about}<p>${crm} has no field for this. It needs ${KINDS[field.type]}.</p>
</div>
`;
  }
  const listed = cut(options, { selected, samples, room });
  const isMistaken = mistaken === formName;
  const described = [
    field.description !== null && `${id}-about`,
    samples && `${id}-samples`,
    isMistaken && `${id}-error`,
  ].filter((one) => one !== false && one !== undefined);
  return html`<div class="field">
<label for="${id}">${toTitle(field.name)}</label>
${about}${
  listed.length >= LONG_LIST
    ? html`<input type="search" placeholder="Find a field" aria-label="Find a field for ${toTitle(field.name)}" aria-controls="${id}" autocomplete="off" hidden>
`
    : undefined
}<select id="${id}" name="${id}"${described.length > 0 ? html` aria-describedby="${described.join(' ')}"` : undefined}${isMistaken ? html` aria-invalid="true"` : undefined}>
${toOptions(listed, { selected, fallback, samples })}</select>
${
  isMistaken
    ? html`<p class="error" id="${id}-error" role="alert">Choose one of the fields in the list.</p>
`
    : undefined
}${
  samples &&
  html`<p class="samples" id="${id}-samples" aria-live="polite">${toSampleText(samples.get(selected ?? ''))}</p>
`
}${
  listed.length < options.length
    ? html`<p class="soft small">The list has ${String(listed.length)} of ${String(options.length)} fields.</p>
`
    : undefined
}</div>
`;
}

interface FieldPlace {
  readonly mistaken: string | undefined;
  /** As the form names it. */
  readonly formName: string;
  readonly provider: ProviderName;
  readonly samples: Samples | undefined;
  readonly room: Room;
}

/** A list of this length has a field that finds in it. */
const LONG_LIST = 20;

/** Without a field of its own, a value that would come from elsewhere cannot be switched off here. */
function toOptions(
  listed: readonly ProviderField[],
  {
    selected,
    fallback,
    samples,
  }: Pick<FieldMatch, 'selected' | 'fallback'> & Pick<FieldPlace, 'samples'>,
): readonly Markup[] {
  const labels = new Map<string, number>();
  for (const { label } of listed.map(toShown)) labels.set(label, (labels.get(label) ?? 0) + 1);
  const toOption = (field: ProviderField) => {
    const { name, label } = toShown(field);
    const text = (labels.get(label) ?? 0) > 1 ? `${label} (${name})` : label;
    const shown = samples && toSampleText(samples.get(name));
    return html`<option value="${name}"${shown && html` data-samples="${shown}"`}${name === selected ? html` selected` : undefined}>${text} · ${TYPES[field.type]}</option>
`;
  };
  const isListed = listed.some(({ name }) => name === selected);
  const [custom, standard] = [true, false].map((one) =>
    listed.filter(({ isCustom }) => isCustom === one).map(toOption),
  );
  return [
    ...(fallback === null
      ? [
          html`<option value="">No field</option>
`,
        ]
      : []),
    ...(selected !== null && !isListed
      ? [
          html`<option value="${selected}" selected>${selected}</option>
`,
        ]
      : []),
    ...toOptionGroup('Added by your company', custom),
    ...toOptionGroup('Standard fields', standard),
  ];
}

function toOptionGroup(label: string, options: readonly Markup[] = []): readonly Markup[] {
  return options.length === 0
    ? []
    : [
        html`<optgroup label="${label}">
${options}</optgroup>
`,
      ];
}

/** The selected field is always listed. */
function cut(
  options: readonly ProviderField[],
  { selected, samples, room }: Pick<FieldMatch, 'selected'> & Pick<FieldPlace, 'samples' | 'room'>,
): readonly ProviderField[] {
  let characters = 0;
  const end = options.slice(0, room.options).findIndex((field) => {
    const { name, label } = toShown(field);
    characters += name.length + label.length + toSampleText(samples?.get(name)).length;
    return characters > room.characters;
  });
  const listed = end === -1 ? room.options : end;
  if (options.length <= listed) return options;
  const missing = options.slice(listed).filter(({ name }) => name === selected);
  return [...options.slice(0, listed), ...missing];
}

function toShown({ name, label }: ProviderField) {
  return { name, label: label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL)}…` : label };
}

/** How much of the lists is shown for one custom field. */
interface Room {
  readonly options: number;
  /** Of names, labels and samples. */
  readonly characters: number;
}

/** Options and their characters on one page, which keeps it below some two megabytes. */
const MAX_OPTIONS = 8_000;
const MIN_OPTIONS = 40;
const MAX_CHARACTERS = 600_000;
/** A CRM's labels may have 255 characters. */
const MAX_LABEL = 80;

function toSampleText(values: readonly string[] | undefined): string {
  return values === undefined || values.length === 0 ? '' : `For example: ${values.join(' · ')}`;
}

const KINDS: Readonly<Record<CustomFieldType, string>> = {
  TEXT: 'a text field',
  NUMBER: 'a number field',
  BOOLEAN: 'a checkbox or yes/no field',
  DATE: 'a date field',
  DATETIME: 'a date and time field',
  CHOICE: 'a list field with one choice',
  CHOICES: 'a list field with several choices',
};

/** The types of fields in a CRM, in its users' words. */
const TYPES: Readonly<Record<ProviderFieldType, string>> = {
  TEXT: 'text',
  NUMBER: 'number',
  BOOLEAN: 'yes or no',
  DATE: 'date',
  DATETIME: 'date and time',
  CHOICE: 'list',
  CHOICES: 'list, several',
  REFERENCE: 'reference',
  OTHER: 'other',
};

/**
 * Counts the fields that are matched, shows values of the one that was just chosen, and finds options by their words: the
 * select is a list while something is typed. Options are removed, because not all browsers can hide them.
 */
const CHOOSE_FIELDS = `const matched = document.getElementById('matched');
const selects = [...document.querySelectorAll('.field select')];
const count = () => {
  const chosen = selects.filter((select) => select.value !== '').length;
  matched.textContent = chosen + ' of ' + matched.dataset.fields + ' fields matched';
};
for (const select of selects) {
  const field = select.closest('.field');
  const samples = field.querySelector('.samples');
  const find = field.querySelector('[type=search]');
  const change = () => {
    if (samples) samples.textContent = select.selectedOptions[0]?.dataset.samples ?? '';
    count();
  };
  select.addEventListener('change', change);
  change();
  if (!find) continue;
  const all = [...select.children];
  const groups = all.map((node) => [...node.children]);
  const show = () => {
    const chosen = select.selectedOptions[0];
    const words = find.value.toLowerCase().split(/\\s+/);
    const isFound = (option) => option === chosen || words.every((word) => option.text.toLowerCase().includes(word));
    select.replaceChildren(...all.filter((node, at) => {
      if (node.localName === 'option') return isFound(node);
      node.replaceChildren(...groups[at].filter(isFound));
      return node.children.length > 0;
    }));
    if (chosen) chosen.selected = true;
    select.size = find.value.trim() === '' ? 1 : Math.min(8, Math.max(2, select.length + select.querySelectorAll('optgroup').length));
  };
  const end = () => {
    find.value = '';
    show();
  };
  find.hidden = false;
  find.addEventListener('input', show);
  find.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') end();
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    select.focus();
  });
  select.addEventListener('click', (event) => { if (event.target.closest('option')) end(); });
  select.addEventListener('keydown', (event) => {
    if (select.size === 1 || event.key !== 'Enter') return;
    event.preventDefault();
    end();
  });
  field.closest('form').addEventListener('submit', end);
}`;

interface MatchPageDeps {
  readonly logoUrl: string | undefined;
  /** Where the pages of the link are. */
  readonly linkUrl: string;
}

function toUnavailablePage(
  {
    visited,
    provider,
  }: { readonly visited: MatchPage['visited']; readonly provider: MatchPage['provider'] },
  shown: ShownLink,
  linkUrl: string,
): HttpResponse {
  const { link } = visited;
  const crm = PROVIDER_TITLES[provider];
  const isConnecting = link.purpose === 'CONNECT';
  return toLinkPage(shown, {
    status: 503,
    title: 'Match your fields',
    headers: { 'retry-after': '30' },
    body: html`<h1>We cannot read your fields</h1>
<p>${crm} did not return the list of your fields. ${isConnecting ? 'Your permission is saved. ' : ''}Please try again in a few minutes.</p>
<p class="actions"><a class="button" href="${linkUrl}/fields">Try again</a></p>
${
  isConnecting
    ? html`<form method="post" action="${linkUrl}/fields"><button class="plain" name="skip" value="1">Continue without matching fields</button></form>`
    : toWayBack(visited, { isSecondary: true })
}`,
    scripts: isConnecting || link.mode === 'REDIRECT' ? [] : POPUP_SCRIPTS,
    hasForm: true,
  });
}
