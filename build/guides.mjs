import { existsSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { Marked } from 'marked';

/**
 * Renders the guides to HTML once, at the build: `docs/README.md` lists them by reader, in tables of links and
 * questions. What is not a guide is named by its path, because the server does not have it.
 */
export function buildGuides(root) {
  const folder = join(root, 'docs');
  const groups = existsSync(folder)
    ? readGroups(readFileSync(join(folder, 'README.md'), 'utf8'))
    : [];
  const slugs = new Set(groups.flatMap(({ guides }) => guides.map(({ slug }) => slug)));
  const rendered = groups.map(({ title, guides }) => ({
    title,
    guides: guides.map((guide) => ({ ...guide, ...render(folder, guide.slug, slugs) })),
  }));
  return { files: [{ name: 'guides.json', contents: Buffer.from(JSON.stringify(rendered)) }] };
}

/** A page is in the first group that lists it. */
function readGroups(index) {
  const listed = new Set();
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')).trim(),
      guides: [...part.matchAll(/^\| (.+?) \| (.+?) \|$/gm)].flatMap(([, links, question]) =>
        [...links.matchAll(/\[([^\]]+)\]\(([\w-]+)\.md\)/g)].flatMap(([, title, slug]) => {
          if (listed.has(slug)) return [];
          listed.add(slug);
          return [{ slug, title: toText(title), question: toText(question) }];
        }),
      ),
    }))
    .filter(({ guides }) => guides.length > 0);
}

function toText(markdown) {
  return markdown.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1');
}

function render(folder, slug, slugs) {
  const markdown = readFileSync(join(folder, `${slug}.md`), 'utf8');
  const sections = [{ heading: '', anchor: '', depth: 1, text: '' }];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens, this.parser.textRenderer);
        const anchor = toAnchor(text);
        if (depth > 1) sections.push({ heading: toPlain(text), anchor, depth, text: '' });
        const link =
          depth > 1
            ? ` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`
            : '';
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}${link}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (href.startsWith('#')) return `<a href="${toEscaped(href)}">${text}</a>`;
        if (/^https?:/.test(href))
          return `<a href="${toEscaped(href)}" rel="noreferrer">${text}</a>`;
        const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
        if (slugs.has(name))
          return `<a href="%BASE%/guides/${name}${toEscaped(anchor)}">${text}</a>`;
        const path = normalize(join('docs', href.split('#')[0]));
        return `<span class="file" title="In the repository: ${toEscaped(path)}">${text}</span>`;
      },
      image({ href, text }) {
        const svg = readFileSync(join(folder, href));
        return `<img class="diagram" alt="${toEscaped(text)}" src="data:image/svg+xml;base64,${svg.toString('base64')}">`;
      },
      code({ text }) {
        return `<div class="copied"><pre tabindex="0"><code>${toEscaped(text)}</code></pre></div>\n`;
      },
      html: ({ text }) => toEscaped(text),
    },
  });
  const html = marked
    .parse(markdown)
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { html, sections: fillSections(html, sections) };
}

/** The text of each section, for the search. */
function fillSections(html, sections) {
  const parts = html.replace(/<h1 [\s\S]*?<\/h1>/, '').split(/<h[2-6] [\s\S]*?<\/h[2-6]>/);
  return sections.map((section, index) => ({ ...section, text: toPlain(parts[index] ?? '') }));
}

function toPlain(html) {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(lt|gt|quot|amp|#39);/g, (_, name) => ENTITIES[name])
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };

/** As GitHub makes them. */
function toAnchor(text) {
  return toPlain(text)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function toEscaped(text) {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
