import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: {
      // From this repository. In your project it is the package.
      'crossbook-client': fileURLToPath(new URL('../../src/client/index.ts', import.meta.url)),
    },
  },
});
