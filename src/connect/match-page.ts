import type { CustomFieldType } from '../domain/custom-field.ts';
import type { ProviderField } from '../domain/custom-fields.ts';
import { type FieldMatch, toTitle } from '../domain/field-matching.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import { html, type Markup } from '../lib/html.ts';
import type { HttpResponse } from '../lib/http-message.ts';
import type { MatchPage, MatchResult } from '../usecases/match-fields.ts';
import { POPUP_SCRIPTS, type ShownLink, toLinkPage, toWayBack } from './frame.ts';

/**
 * The page on which a customer matches the application's custom fields with those of their CRM. It may have thousands of
 * options, so their length is limited.
 */
export function toMatchPage(
  page: Exclude<MatchResult, { readonly problem: string }>,
  { logoUrl, token }: MatchPageDeps,
): HttpResponse {
  const shown = { visited: page.visited, logoUrl };
  if ('isUnavailable' in page) return toUnavailablePage(page, shown, token);
  const { visited, provider, matches, mistaken } = page;
  const crm = PROVIDER_TITLES[provider];
  const isConnecting = visited.link.purpose === 'CONNECT';
  const app = html`<bdi>${visited.shown.name}</bdi>`;
  const share = 1 / Math.max(1, matches.length);
  const room = {
    options: Math.max(MIN_OPTIONS, Math.floor(MAX_OPTIONS * share)),
    characters: Math.floor(MAX_CHARACTERS * share),
  };
  const fields = matches.map((match) => toField(match, page, room));
  return toLinkPage(shown, {
    status: mistaken === undefined ? 200 : 422,
    title: 'Match your fields',
    body: html`<h1>Match your fields</h1>
<p>${app} uses the fields below. For each of them, choose the field in ${crm} that has this information.</p>
<p class="soft">Fields with matching names are selected already. You can change them.</p>
<form method="post" action="/connect/${token}/fields">
${fields}
${matches.length > 0 ? html`<button>Save and continue</button>` : html`<p>There are no fields to match.</p>`}
${isConnecting ? html`<button class="plain" name="skip" value="1">${matches.length > 0 ? 'Skip this step' : 'Continue'}</button>` : undefined}
</form>
${isConnecting ? undefined : toWayBack(visited, { isSecondary: true })}
<p class="soft small">Is a field missing? Add it in ${crm}, then <a href="/connect/${token}/fields?refresh=1">load the list again</a>.</p>`,
    scripts: [
      ...(page.samples ? [SHOW_SAMPLES] : []),
      ...(isConnecting || visited.link.mode === 'REDIRECT' ? [] : POPUP_SCRIPTS),
    ],
    hasForm: true,
  });
}

function toField(
  { field, options, selected, fallback }: FieldMatch,
  { provider, samples, mistaken }: MatchPage,
  room: Room,
): Markup {
  const crm = PROVIDER_TITLES[provider];
  const id = `field-${field.name}`;
  const about = html`${
    field.description === null
      ? undefined
      : html`<p class="soft small" id="${id}-about">${field.description}</p>
`
  }`;
  if (options.length === 0) {
    return html`<div class="field">
<b>${toTitle(field.name)}</b>
${about}<p>${crm} has no field for this. It needs ${KINDS[field.type]}.</p>
</div>
`;
  }
  const listed = cut(options, { selected, samples, room });
  const isMistaken = mistaken === field.name;
  const described = [
    field.description !== null && `${id}-about`,
    samples && `${id}-samples`,
    isMistaken && `${id}-error`,
  ].filter((one) => one !== false && one !== undefined);
  return html`<div class="field">
<label for="${id}">${toTitle(field.name)}</label>
${about}<select id="${id}" name="field-${field.name}"${described.length > 0 ? html` aria-describedby="${described.join(' ')}"` : undefined}${isMistaken ? html` aria-invalid="true"` : undefined}>
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

/** Without a field of its own, a value that would come from elsewhere cannot be switched off here. */
function toOptions(
  listed: readonly ProviderField[],
  {
    selected,
    fallback,
    samples,
  }: Pick<FieldMatch, 'selected' | 'fallback'> & Pick<MatchPage, 'samples'>,
): readonly Markup[] {
  const labels = new Map<string, number>();
  for (const { label } of listed.map(toShown)) labels.set(label, (labels.get(label) ?? 0) + 1);
  const toOption = (field: ProviderField) => {
    const { name, label } = toShown(field);
    const text = (labels.get(label) ?? 0) > 1 ? `${label} (${name})` : label;
    const shown = samples && toSampleText(samples.get(name));
    return html`<option value="${name}"${shown && html` data-samples="${shown}"`}${name === selected ? html` selected` : undefined}>${text}</option>
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
    ...toGroup('Added by your company', custom),
    ...toGroup('Standard fields', standard),
  ];
}

function toGroup(label: string, options: readonly Markup[] = []): readonly Markup[] {
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
  {
    selected,
    samples,
    room,
  }: Pick<FieldMatch, 'selected'> & Pick<MatchPage, 'samples'> & { readonly room: Room },
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

/** Shows the values of the field that was just chosen. */
const SHOW_SAMPLES = `for (const select of document.querySelectorAll('.field select')) {
  const shown = document.getElementById(select.id + '-samples');
  const show = () => { shown.textContent = select.selectedOptions[0]?.dataset.samples ?? ''; };
  select.addEventListener('change', show);
  show();
}`;

interface MatchPageDeps {
  readonly logoUrl: string | undefined;
  readonly token: string;
}

function toUnavailablePage(
  {
    visited,
    provider,
  }: { readonly visited: MatchPage['visited']; readonly provider: MatchPage['provider'] },
  shown: ShownLink,
  token: string,
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
<p class="actions"><a class="button" href="/connect/${token}/fields">Try again</a></p>
${
  isConnecting
    ? html`<form method="post" action="/connect/${token}/fields"><button class="plain" name="skip" value="1">Continue without matching fields</button></form>`
    : toWayBack(visited, { isSecondary: true })
}`,
    scripts: isConnecting || link.mode === 'REDIRECT' ? [] : POPUP_SCRIPTS,
    hasForm: true,
  });
}
