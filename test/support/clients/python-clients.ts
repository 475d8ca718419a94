import { fileURLToPath } from 'node:url';
import { installLocked } from '../../../scripts/python/install-locked.js';

const REQUIREMENTS = fileURLToPath(new URL('../../python/clients/requirements.txt', import.meta.url));

/** The sources of the Python client. */
export const CLIENT_SOURCES = fileURLToPath(new URL('../../../templates/python/src', import.meta.url));

/** Installs the packages of the Python clients if necessary, and returns their Python. */
export function installClients(): string {
  return installLocked({
    what: 'the Python clients',
    requirements: REQUIREMENTS,
    folder: fileURLToPath(new URL('../../../.python/clients', import.meta.url)),
  });
}
