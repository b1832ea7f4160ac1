export { createDice, type Dice } from './dice.ts';
export { GROWING_DOCUMENTS, list, repeat } from './growing-documents.ts';
export {
  createInputWriter,
  EVERY_LITERAL,
  EVERY_VALUE,
  type InputWriter,
} from './random-inputs.ts';
export { type RandomQuery, writeRandomQuery } from './random-query.ts';
