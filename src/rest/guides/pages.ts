import { COPY_BUTTONS } from '../../lib/design.ts';
import { escapeText, html, Markup, toPage } from '../../lib/html.ts';
import type { HttpResponse } from '../../lib/http-message.ts';
import { type Guide, type GuideGroup, searchGuides } from './guides.ts';

/** The list of the guides by reader, or what a search finds in them. */
export function toIndexPage(
  groups: readonly GuideGroup[],
  { basePath, query }: { readonly basePath: string; readonly query: string },
): HttpResponse {
  const isSearch = query.trim() !== '';
  return toGuidePage(groups, {
    title: 'Guides',
    basePath,
    query,
    body: isSearch
      ? toResults(groups, { basePath, query })
      : html`<h1>Guides</h1>
${groups.map(
  ({ title, guides }) => html`<h2>${title}</h2>
<dl class="list">
${guides.map(
  ({
    slug,
    title: name,
    question,
  }) => html`<dt><a href="${basePath}/guides/${slug}">${name}</a></dt>
<dd>${question}</dd>
`,
)}</dl>
`,
)}`,
  });
}

export function toGuide(
  groups: readonly GuideGroup[],
  { guide, basePath }: { readonly guide: Guide; readonly basePath: string },
): HttpResponse {
  return toGuidePage(groups, {
    title: guide.title,
    basePath,
    slug: guide.slug,
    body: new Markup(guide.html.replaceAll('%BASE%', () => escapeText(basePath))),
  });
}

function toResults(
  groups: readonly GuideGroup[],
  { basePath, query }: { readonly basePath: string; readonly query: string },
): Markup {
  const found = searchGuides(groups, query);
  return html`<h1>${found.length === 0 ? 'Nothing found' : 'Found'} for “${query}”</h1>
${found.length === 0 && html`<p>Try fewer or other words.</p>`}
<dl class="list">
${found.map(({ guide, section, excerpt }) => {
  const hash = section.anchor === '' ? '' : `#${section.anchor}`;
  const name = section.heading === '' ? guide.title : `${guide.title}: ${section.heading}`;
  return html`<dt><a href="${basePath}/guides/${guide.slug}${hash}">${name}</a></dt>
<dd>${excerpt}</dd>
`;
})}</dl>`;
}

function toGuidePage(groups: readonly GuideGroup[], page: GuidePage): HttpResponse {
  const { title, basePath, slug, query = '', body } = page;
  return toPage({
    title: `${title} – Crossbook`,
    style: STYLE,
    scripts: [COPY_BUTTONS, OPEN_LIST],
    formAction: "'self'",
    headers: { 'cache-control': 'no-cache' },
    header: html`<div class="layout">
<aside>
<p><a href="${basePath}/">Crossbook</a> · <a href="${basePath}/guides">Guides</a></p>
<form action="${basePath}/guides" role="search"><input type="search" name="q" value="${query}" placeholder="Search the guides" aria-label="Search the guides" maxlength="100"></form>
<details><summary>All guides</summary>
<nav aria-label="Guides">
${groups.map(
  (group) => html`<h2>${group.title}</h2>
<ul>
${group.guides.map(
  (guide) =>
    html`<li><a href="${basePath}/guides/${guide.slug}"${guide.slug === slug && html` aria-current="page"`}>${guide.title}</a>${
      guide.slug === slug && toOutline(guide)
    }</li>
`,
)}</ul>
`,
)}</nav>
</details>
</aside>
`,
    body,
    footer: html`</div>
`,
  });
}

function toOutline({ sections }: Guide): Markup {
  return html`
<ul class="outline">
${sections
  .filter(({ depth }) => depth === 2)
  .map(
    ({ heading, anchor }) => html`<li><a href="#${anchor}">${heading}</a></li>
`,
  )}</ul>`;
}

/** Where the list is next to the guide. On a phone it would push the guide out of view. */
const OPEN_LIST = `document.querySelector('aside details').open = matchMedia('(min-width: 60rem)').matches;`;

const STYLE = `main { max-width: 50rem; margin: 0; min-width: 0 }
.layout { max-width: 76rem; margin: 0 auto }
aside { padding: 1.5rem 1.25rem 0 }
aside form { margin: .75rem 0 }
aside input { width: 100%; padding: .45rem .65rem; font: inherit; font-size: .95rem }
aside summary { cursor: pointer; font-weight: 600 }
nav h2 { margin: 1rem 0 .25rem; font-size: .78rem; text-transform: uppercase; letter-spacing: .06em; color: var(--soft) }
nav ul { margin: 0; padding: 0; list-style: none }
nav a { color: var(--ink); text-decoration: none; font-size: .95rem }
nav a:hover, nav a:focus-visible { color: var(--link); text-decoration: underline }
.outline { padding: .1rem 0 .4rem .9rem; border-left: 2px solid var(--line) }
.outline a { font-size: .875rem; color: var(--soft) }
nav a[aria-current] { color: var(--link); font-weight: 600 }
@media (min-width: 60rem) {
  .layout { display: grid; grid-template-columns: 17rem minmax(0, 1fr); gap: 0 2.5rem }
  aside { position: sticky; top: 0; align-self: start; height: 100vh; padding-bottom: 2rem; overflow-y: auto; scrollbar-width: thin; border-right: 1px solid var(--line) }
  aside summary { display: none }
}
main h2 { margin-top: 2.25rem; font-size: 1.3rem }
main h3 { margin: 1.75rem 0 .5rem; font-size: 1.1rem }
.anchor { color: var(--soft); text-decoration: none; font-weight: 400; opacity: 0 }
:hover > .anchor, .anchor:focus-visible { opacity: 1 }
h2, h3, h4 { scroll-margin-top: 1rem }
.table { overflow-x: auto; margin: 1rem 0 }
table { border-collapse: collapse; min-width: 100% }
th, td { padding: .5rem .75rem; border: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: normal }
th { background: var(--code) }
:not(pre) > code { padding: .1rem .3rem; border-radius: .25rem; background: var(--code); overflow-wrap: anywhere }
.diagram { display: block; max-width: 100%; height: auto; margin: 1.25rem 0 }
@media (max-width: 40rem) { p:has(> .diagram) { overflow-x: auto } .diagram { max-width: none; width: 42rem } }
.file { border-bottom: 1px dotted var(--edge) }
.list dt { margin-top: .6rem; font-weight: 600 }
.list dd { margin: 0; color: var(--soft) }`;

interface GuidePage {
  readonly title: string;
  readonly basePath: string;
  /** The guide that is shown. */
  readonly slug?: string;
  readonly query?: string;
  readonly body: Markup;
}
