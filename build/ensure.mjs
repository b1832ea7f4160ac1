import { fileURLToPath } from 'node:url';
import { hashSources, readManifest } from './sources.mjs';

const NO_BUILDER = `There is no build of these sources, and what builds is not installed: NODE_ENV=production and --omit=dev leave it out.
Run \`npm ci --include=dev && npm run build\` once; a build needs no installed packages to run.`;

/** Rebuilds `dist` if it is not of these sources. Prints one progress line, which the product replaces. */
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const hash = hashSources(root);

if (readManifest(root)?.hash !== hash) {
  showStep('Building');
  try {
    const { build } = await import('./build.mjs');
    await build(root, hash);
  } catch (error) {
    showStep('');
    process.stderr.write(
      `${error.code === 'ERR_MODULE_NOT_FOUND' ? NO_BUILDER : (error.stack ?? error)}\n`,
    );
    process.exitCode = 1;
  }
}

function showStep(step) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[2K${step && `  ${step} …`}`);
  else if (step) process.stderr.write(`  ${step} …\n`);
}
