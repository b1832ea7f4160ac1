import * as esbuild from 'esbuild';

/**
 * Bundles the console into static files. Their names contain a hash of their content, so that browsers may keep them;
 * `index.html` names them.
 */
export async function buildConsole(root) {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['packages/console/src/main.tsx'],
    outdir: 'dist/console',
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const names = outputFiles.map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  const page = { name: 'console/index.html', contents: Buffer.from(toPage(names)) };
  const files = outputFiles.map(({ contents }, index) => ({
    name: `console/${names[index]}`,
    contents,
  }));
  return { files: [...files, page], metafile };
}

function toPage(names) {
  const [script] = names.filter((name) => name.endsWith('.js'));
  const [style] = names.filter((name) => name.endsWith('.css'));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="base-path" content="%BASE%">
<title>Crossbook console</title>
<link rel="icon" href="data:image/svg+xml,${ICON}">
<link rel="stylesheet" href="%BASE%/console/assets/${style}">
<script type="module" src="%BASE%/console/assets/${script}"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`;
}

/** That of all pages, in `src/lib/design.ts`. */
const ICON =
  '%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 32 32%22%3E%3Crect width=%2232%22 height=%2232%22 rx=%227%22 fill=%22%231a56c4%22/%3E%3Cpath d=%22M16 10c-2-2-5-2.5-8-2v14c3-.5 6 0 8 2 2-2 5-2.5 8-2V8c-3-.5-6 0-8 2z%22 fill=%22none%22 stroke=%22%23fff%22 stroke-width=%222.2%22 stroke-linejoin=%22round%22/%3E%3Cpath d=%22M16 10v14%22 stroke=%22%23fff%22 stroke-width=%222.2%22/%3E%3C/svg%3E';
