import type { Command } from '../command.ts';
import {
  appsCreate,
  appsList,
  appsOrigins,
  keysAdmin,
  keysCreate,
  keysList,
  keysRevoke,
  keysRotate,
} from './applications.ts';
import { backup, restore, sealRotate } from './backup.ts';
import { customersDelete, tokensRevoke } from './customers.ts';
import { doctor } from './doctor.ts';
import { oauthClientsDelete, oauthClientsList, oauthClientsSet } from './oauth-clients.ts';
import { schemaPrint } from './schema.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  appsCreate,
  appsList,
  appsOrigins,
  keysCreate,
  keysList,
  keysRotate,
  keysRevoke,
  keysAdmin,
  oauthClientsSet,
  oauthClientsList,
  oauthClientsDelete,
  customersDelete,
  tokensRevoke,
  sealRotate,
  backup,
  restore,
  schemaPrint,
  doctor,
];
