/** An HTML template tag that escapes all values except HTML. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + toText(values[index - 1]) + part));
}

/** HTML that is not escaped again. Created only from constants of this program. */
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
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

type Value = string | Markup | readonly Markup[] | undefined;
