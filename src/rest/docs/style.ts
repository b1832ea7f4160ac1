/** The page's style: light or dark as the reader's system is. */
export const STYLE = `
:root { --ink: #1c2430; --soft: #5d6b7e; --line: #dde3ea; --paper: #f6f8fa; --card: #fff; --code: #f1f4f8; --accent: #2456c9;
  --get: #14744a; --post: #2456c9; --put: #96570b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9f0; --soft: #94a2b5; --line: #2c3644; --paper: #10151c; --card: #171e27;
  --code: #0f141b; --accent: #7ea6ff; --get: #58c993; --post: #7ea6ff; --put: #e2ae63; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { margin: 0; font-size: 1.9rem; letter-spacing: -0.02em; }
h2 { margin: 0; font-size: 1.15rem; }
h3 { margin: 1.4rem 0 0.4rem; font-size: 0.78rem; text-transform: uppercase; letter-spacing: 0.06em; color: var(--soft); }
p { margin: 0.4rem 0; }
a { color: var(--accent); }
code, pre, textarea, input, select { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.soft { color: var(--soft); }
.card { margin-top: 1.25rem; padding: 1.25rem 1.4rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
nav { display: flex; flex-wrap: wrap; gap: 0.3rem 1.4rem; margin-top: 0.9rem; }
form { scroll-margin-top: 1rem; }
.head { display: flex; flex-wrap: wrap; gap: 0.5rem 0.8rem; align-items: baseline; }
.method { font-weight: 700; font-size: 0.8rem; letter-spacing: 0.04em; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2rem; }
@media (max-width: 52rem) { .columns { grid-template-columns: minmax(0, 1fr); } }
.field { display: block; margin: 0.65rem 0; }
.field .soft { display: block; font-size: 0.85rem; margin-bottom: 0.2rem; }
.needed::after { content: " required"; color: var(--bad); font: 0.75rem system-ui, sans-serif; }
input, select, textarea { width: 100%; padding: 0.45rem 0.6rem; color: inherit; background: var(--code); border: 1px solid var(--line); border-radius: 7px; }
textarea { resize: vertical; }
input:focus, select:focus, textarea:focus, button:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
button { margin-top: 0.6rem; padding: 0.5rem 1.3rem; font: 600 0.9rem system-ui, sans-serif; color: var(--card); background: var(--accent); border: 0; border-radius: 7px; cursor: pointer; }
button:disabled { opacity: 0.5; cursor: default; }
pre { margin: 0.4rem 0; padding: 0.7rem 0.8rem; max-height: 30rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--code); border: 1px solid var(--line); border-radius: 7px; }
.status { font-weight: 600; } .status.ok { color: var(--get); } .status.failed { color: var(--bad); }
details { margin: 0.3rem 0; } summary { cursor: pointer; }
ul { margin: 0.2rem 0 0.2rem 0.4rem; padding-left: 0.9rem; border-left: 1px solid var(--line); list-style: none; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 0.9rem; margin: 0; }
dd { margin: 0; color: var(--soft); }
`;
