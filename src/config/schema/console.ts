import type { z } from 'zod';
import { complaint } from '../complaint.ts';
import { CONSOLE_EXPOSURES, type ConsoleConfig } from '../config.ts';
import { choice } from '../kinds/choice.ts';
import { duration } from '../kinds/duration.ts';
import { explained } from '../kinds/explained.ts';
import { flag } from '../kinds/flag.ts';
import { section } from '../kinds/section.ts';
import { webAddress, withoutSlash } from '../kinds/web-address.ts';

export const consoleSection = section({
  enabled: flag()
    .prefault(false)
    .meta(
      explained(
        'Serve the web console at /console. People sign in with links of `slotbridge console login`.',
        { example: true, since: 'Unreleased' },
      ),
    ),
  exposure: choice(CONSOLE_EXPOSURES, 'exposure')
    .prefault('this-machine')
    .meta(
      explained(
        'Who gets an answer at /console. this-machine: requests from this machine that no proxy has passed on. network: everybody who reaches http.port; needs console.address.',
        { example: 'network', since: 'Unreleased' },
      ),
    ),
  address: webAddress('https://bridge.internal', readAddress)
    .optional()
    .meta(
      explained(
        'Where people reach the console, without /console. Needed for exposure: network, and when http.port is 0. Without it: http.host and http.port.',
        { example: 'https://bridge.internal', since: 'Unreleased' },
      ),
    ),
  session: duration({ min: '5m', max: '30d' })
    .prefault('12h')
    .meta(explained('How long somebody stays signed in.', { example: '8h', since: 'Unreleased' })),
});

export function toConsole(written: z.output<typeof consoleSection>): ConsoleConfig {
  return {
    isEnabled: written.enabled,
    exposure: written.exposure,
    ...(written.address === undefined ? {} : { address: written.address }),
    sessionMs: written.session,
  };
}

/** The pages and the cookie stand below /console of a name. */
function readAddress(url: URL) {
  if (url.pathname === '/' || url.pathname === '/console') return { value: url.origin };
  return {
    complaint: complaint(
      `ends in a path (${withoutSlash(url).slice(url.origin.length)})`,
      'write the address without one: the console stands at /console',
    ),
  };
}
