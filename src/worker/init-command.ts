import { readAddresses } from '@slotbridge/sandbox/addresses';
import type { InitWiring } from '../cli/init-parts.ts';
import type { Clock } from '../engine/ports/runtime.ts';
import { SILENT, UNCOUNTED } from '../engine/ports/runtime.ts';
import { googleAccount } from '../google/account.ts';
import { openSetupGoogle } from '../operate/setup.ts';
import { createPlatformClient } from '../platform/client.ts';

const TIMEOUT_MS = 10_000;
/** Where `slotbridge sandbox` leaves its key file and addresses by default. */
const SANDBOX_FOLDER = './data/sandbox';
const REAL = {
  calendarRootUrl: 'https://www.googleapis.com/',
  sheetsRootUrl: 'https://sheets.googleapis.com/',
  tokenUrl: 'https://oauth2.googleapis.com/token',
};

/** What `slotbridge init` needs: both remote sides, no Redis. */
export function initWiring(clock: Clock): Omit<InitWiring, 'run'> {
  return {
    async sandbox() {
      const found = readAddresses(SANDBOX_FOLDER);
      return found === undefined ? undefined : { platformUrl: found.platform, googleUrl: found.google };
    },
    async readDirectory(platform) {
      const parts = { timeoutMs: TIMEOUT_MS, clock, log: SILENT, meter: UNCOUNTED };
      return createPlatformClient({ ...platform, ...parts }).reader.directory();
    },
    async openGoogle({ credentials, actAs, url }) {
      const { shareWith, isPerson } = googleAccount({ credentialsPath: credentials, actAs });
      const roots =
        url === undefined
          ? REAL
          : { calendarRootUrl: `${url}/`, sheetsRootUrl: `${url}/`, tokenUrl: `${url}/token` };
      return {
        shareWith,
        isPerson,
        ...openSetupGoogle({ credentialsPath: credentials, actAs, ...roots, clock }),
      };
    },
  };
}
