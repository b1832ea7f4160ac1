import { hash } from 'node:crypto';

/**
 * The design of every page: colors for light and dark, type, spacing, focus, buttons, fields, cards. A page may add a
 * style of its own, which uses these variables. `--accent` and `--on-accent` are the application's, where it has set a
 * color.
 */
export const DESIGN = `
:root { color-scheme: light dark; --ink: #16202c; --soft: #52606f; --line: #d3dae2; --edge: #7b8896; --paper: #fff; --ground: #f5f7f9; --code: #eef2f6;
  --accent: #1a56c4; --on-accent: #fff; --link: #1a56c4; --good: #14703f; --warn: #8a5208; --bad: #b3261e;
  --text: 1rem/1.55 system-ui, sans-serif; --mono: .85rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; --round: .6rem }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6ecf3; --soft: #a3b1c1; --line: #313d4a; --edge: #75869a; --paper: #171f28; --ground: #10161d; --code: #0c1116;
    --accent: #8ab6ff; --on-accent: #0b1420; --link: #8ab6ff; --good: #62cf98; --warn: #e5b468; --bad: #ff9c93 }
}
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; background: var(--ground); color: var(--ink); font: var(--text); overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; line-height: 1.25; letter-spacing: -.01em }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.05rem; line-height: 1.35 }
p { margin: .5rem 0 }
a { color: var(--link) }
code, pre { font: var(--mono) }
pre { margin: .5rem 0; padding: .75rem 1rem; overflow-x: auto; background: var(--code); border: 1px solid var(--line); border-radius: var(--round) }
.soft { color: var(--soft) }
.small { font-size: .875rem }
.error { color: var(--bad); font-weight: 600 }
label { display: block }
input, select, textarea { max-width: 100%; padding: .55rem .7rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: .4rem }
input[type=text], select, textarea { width: 100% }
input[type=radio] { width: 1.15rem; height: 1.15rem; margin: 0 .55rem 0 0; vertical-align: -.2rem; accent-color: var(--link) }
fieldset { margin: 0; padding: 0; border: 0 }
legend { padding: 0; font-weight: 600 }
button, .button { display: inline-block; padding: .65rem 1.25rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; color: var(--on-accent); background: var(--accent); border: 1px solid var(--edge); border-radius: .45rem; cursor: pointer }
button:hover, .button:hover { filter: brightness(1.06) }
button:disabled { opacity: .5; cursor: default }
button.plain, .button.plain { color: var(--ink); background: var(--paper); border-color: var(--edge) }
.card { display: block; padding: 1rem 1.25rem; background: var(--paper); color: inherit; border: 1px solid var(--line); border-radius: var(--round); font-weight: 400; text-align: left; text-decoration: none }
a.card:hover, button.card:hover { border-color: var(--link); filter: none }
.card b { color: var(--link) }
.copied { position: relative }
.copied pre { padding-right: 5.5rem; white-space: pre-wrap }
.copied > button { position: absolute; top: .5rem; right: .5rem; padding: .25rem .7rem; font-size: .8rem }
@media (max-width: 34rem) { .copied pre { padding-top: 2.9rem; padding-right: 1rem } }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
`;

/** The icon of every page, inline, so that browsers do not request one. */
export const ICON =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"%3E%3Crect width="32" height="32" rx="7" fill="%231a56c4"/%3E%3Cpath d="M16 10c-2-2-5-2.5-8-2v14c3-.5 6 0 8 2 2-2 5-2.5 8-2V8c-3-.5-6 0-8 2z" fill="none" stroke="%23fff" stroke-width="2.2" stroke-linejoin="round"/%3E%3Cpath d="M16 10v14" stroke="%23fff" stroke-width="2.2"/%3E%3C/svg%3E';

/** Shows times in the reader's time zone; without scripts they are in UTC. */
export const LOCAL_TIMES = `for (const time of document.querySelectorAll('time[datetime]')) {
  time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
}`;

/** Adds a button that copies the text in front of it. */
export const COPY_BUTTONS = `for (const sample of document.querySelectorAll('.copied')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'plain', textContent: 'Copy' });
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(sample.querySelector('pre').textContent);
    button.textContent = 'Copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 1500);
  });
  if (navigator.clipboard) sample.append(button);
}`;

/** The source of an inline style or script in a Content-Security-Policy. */
export function toSource(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
