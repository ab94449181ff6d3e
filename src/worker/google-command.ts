import type { GoogleWiring } from '../cli/google.ts';
import { assertLoginFileIsFree, beginLogin, keepLogin } from '../google/login.ts';
import { readOAuthClientFile } from '../google/oauth-client-file.ts';

/** How long a person may take to sign in. */
const LOGIN_WITHIN_MS = 10 * 60_000;

/** What `slotbridge google` needs. */
export function googleCommandWiring(options: { loginWithinMs?: number } = {}): GoogleWiring {
  return {
    assertCredentialFileIsFree: async (file) => assertLoginFileIsFree(file),
    beginLogin: async (clientFile) => {
      const waitMs = options.loginWithinMs ?? LOGIN_WITHIN_MS;
      const { address, port, done } = await beginLogin({ client: readOAuthClientFile(clientFile), waitMs });
      return { address, port, keepIn: async (file) => keepLogin(file, await done) };
    },
  };
}
