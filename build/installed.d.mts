export const INSTALLED: string[];
