export { openDatabase } from '../../src/storage/database.ts';
export { parseKeyRing } from '../../src/storage/key-ring.ts';
