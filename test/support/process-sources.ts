/**
 * Never called. `vitest --changed` follows imports, and a test that starts the product as a process does not import
 * it: with this import it runs again when one of these sources, or what they import, has changed.
 */
export const PROCESS_SOURCES = [
  () => import('../../src/main.ts'),
  () => import('@crossbook/sandbox/main'),
  () => import('crossbook-client'),
  // Sources that tests compile for child processes.
  import.meta.glob('./{*-process,*-of-processes}.ts'),
];

declare global {
  interface ImportMeta {
    glob(pattern: string): object;
  }
}
