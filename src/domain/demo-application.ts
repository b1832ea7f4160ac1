/** Its id marks everything that belongs to it: no other application ever has it, and without the sandbox it does not count. */
export const DEMO_APPLICATION = {
  id: 'c7055b00-de30-4000-8000-000000000001',
  name: 'Demo application',
} as const;

/** Of Next.js, Angular, Astro, Vite and its preview, and of what serves files. */
const DEVELOPMENT_PORTS = [3000, 3001, 4200, 4321, 5173, 5174, 8000, 8080, 8081];

/** Where tools serve a frontend while it is being written: pages from there may call the demo. */
export const DEVELOPMENT_ORIGINS: readonly string[] = ['localhost', '127.0.0.1'].flatMap((host) =>
  DEVELOPMENT_PORTS.map((port) => `http://${host}:${port}`),
);
