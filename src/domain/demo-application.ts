/** Its id marks everything that belongs to it: no other application ever has it, and without the sandbox it does not count. */
export const DEMO_APPLICATION = {
  id: 'c7055b00-de30-4000-8000-000000000001',
  name: 'Demo application',
} as const;
