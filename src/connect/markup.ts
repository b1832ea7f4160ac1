/** HTML that is put together safely: whatever is put into it is text, unless it is HTML already. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + toText(values[index - 1]) + part));
}

/** Text between the tags of `style` and `script`, where nothing is escaped: only what is written in this program. */
export function raw(text: string): Markup {
  return new Markup(text);
}

export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function toText(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.text;
  return typeof value === 'string' ? escapeText(value) : value.map(toText).join('');
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

type Value = string | Markup | readonly Markup[] | undefined;
