import type { z } from 'zod';
import { explained, type Reading, readWith } from '../kinds/reading.ts';
import { entries, section } from '../kinds/section.ts';
import { duration, text } from '../kinds/text.ts';
import { readWebAddress } from '../kinds/web-address.ts';
import { complaint } from '../problem.ts';
import { ADDRESS } from './calendar-id.ts';
import { MIRROR_NAME } from './mirror.ts';

const ACCOUNTS_MAX = 1_000;

const serverAddress = () =>
  readWith(text(), (written): Reading<string> => {
    const reading = readWebAddress(
      ADDRESS.test(written) ? written : `https://${written}`,
      'https://cloud.clinic.example/remote.php/dav/',
    );
    return 'value' in reading ? { value: reading.value.href } : reading;
  });

const accountSection = section({
  url: serverAddress().meta(
    explained(
      'The server: its domain, or the address that calendar programs use. Must be https, except on loopback.',
      { example: 'https://cloud.clinic.example/remote.php/dav/', since: '0.3.0' },
    ),
  ),
  user: text().meta(
    explained('Login at the server, often an e-mail address.', { example: 'office', since: '0.3.0' }),
  ),
  password: text({
    missing: complaint(
      'is missing or empty',
      `write password: \${OFFICE_CALDAV_PASSWORD} and set that variable`,
    ),
  }).meta(
    explained(
      'Password of that login, from the environment. Use an app password where the service offers one.',
      { example: `\${OFFICE_CALDAV_PASSWORD}`, since: '0.3.0' },
    ),
  ),
});

export const caldavSection = section({
  accounts: entries(accountSection, {
    noun: 'account',
    example: `office: { url: cloud.clinic.example, user: office, password: "\${OFFICE_CALDAV_PASSWORD}" }`,
    max: ACCOUNTS_MAX,
    names: MIRROR_NAME,
  })
    .optional()
    .meta(
      explained(
        'Logins to CalDAV servers, each under a name of your choice. A calendar is named by its address and its account: { id: https://…, account: office }. Names appear in logs, so do not use names of people.',
        { since: '0.3.0' },
      ),
    ),
  look_every: duration({ min: '1s', max: '1h' })
    .prefault('1s')
    .meta(
      explained(
        'How often the worker asks an account which of its calendars changed: one request for all of them. A slow server is asked less often. Besides, each calendar is read every google.watch.every.',
        { example: '10s', since: '0.3.0' },
      ),
    ),
  timeout: duration({ min: '10ms', max: '5m' })
    .prefault('20s')
    .meta(
      explained('Time limit for one request to a CalDAV server. A slower request fails and is retried.', {
        example: '40s',
        since: '0.3.0',
      }),
    ),
});

export function toCaldav(written: z.output<typeof caldavSection>) {
  return {
    accounts: Object.fromEntries(
      Object.entries(written.accounts ?? {}).map(([name, { url, user, password }]) => [
        name,
        { url, user, password },
      ]),
    ),
    lookEveryMs: written.look_every,
    timeoutMs: written.timeout,
  };
}
