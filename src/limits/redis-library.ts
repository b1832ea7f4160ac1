/** Apart, and imported by name: bundlers give no names to what is imported dynamically from a CommonJS package. */
export { Redis } from 'ioredis';
