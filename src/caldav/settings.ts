import type { z } from 'zod';
import { pathSpelled } from '../engine/ids.ts';
import { explained, type Reading, readWith } from '../mapping/kinds/reading.ts';
import { ENTRY_NAME, entries, section } from '../mapping/kinds/section.ts';
import { duration, text } from '../mapping/kinds/text.ts';
import { readWebAddress } from '../mapping/kinds/web-address.ts';
import { complaint } from '../mapping/problem.ts';

/** Ids of Google have no `//`. */
const ADDRESS = /^https?:\/\//i;
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
  url: explained(
    serverAddress(),
    'The server: its domain, or the address that calendar programs use. Must be https, except on loopback.',
    { example: 'https://cloud.clinic.example/remote.php/dav/', since: '0.3.0' },
  ),
  user: explained(text(), 'Login at the server, often an e-mail address.', {
    example: 'office',
    since: '0.3.0',
  }),
  password: explained(
    text({
      missing: complaint(
        'is missing or empty',
        `write password: \${OFFICE_CALDAV_PASSWORD} and set that variable`,
      ),
    }),
    'Password of that login, from the environment. Use an app password where the service offers one.',
    { example: `\${OFFICE_CALDAV_PASSWORD}`, since: '0.3.0' },
  ),
});

const caldavSection = section({
  accounts: explained(
    entries(accountSection, {
      noun: 'account',
      example: `office: { url: cloud.clinic.example, user: office, password: "\${OFFICE_CALDAV_PASSWORD}" }`,
      max: ACCOUNTS_MAX,
      names: ENTRY_NAME,
    }).optional(),
    'Logins to CalDAV servers, each under a name of your choice. A calendar is named by its address and its account: { id: https://…, account: office }. Names appear in logs, so do not use names of people.',
    { since: '0.3.0' },
  ),
  look_every: explained(
    duration({ min: '1s', max: '1h' }).prefault('1s'),
    'How often the worker asks an account which of its calendars changed: one request for all of them. A slow server is asked less often. Besides, each calendar is read every google.watch.every.',
    { example: '10s', since: '0.3.0' },
  ),
  timeout: explained(
    duration({ min: '10ms', max: '5m' }).prefault('20s'),
    'Time limit for one request to a CalDAV server. A slower request fails and is retried.',
    { example: '40s', since: '0.3.0' },
  ),
});

function toCaldav(written: z.output<typeof caldavSection>) {
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

/** Calendars on CalDAV servers, for the file and for `slotbridge init`. Called by `mapping/calendar-kinds.ts`. */
export const caldavKind = {
  called: 'CalDAV',
  section: explained(caldavSection.prefault({}), 'Access to calendars on CalDAV servers.', {
    since: '0.3.0',
  }),
  toSettings: toCaldav,
  secretsOf: ({ accounts }: CaldavSettings) => Object.values(accounts).map(({ password }) => password),
  id: {
    is: (calendarId: string) => ADDRESS.test(calendarId),
    /** The address in its one spelling, always with its last slash. */
    read(written: string): Reading<string> | undefined {
      const read = readWebAddress(written, 'https://cloud.clinic.example/dav/anna/calendar/');
      if (!('value' in read)) return read;
      const { origin, hostname, pathname } = read.value;
      // Pages and feeds of Google Calendar.
      if (hostname === 'calendar.google.com') return undefined;
      return { value: `${origin}${pathSpelled(pathname.endsWith('/') ? pathname : `${pathname}/`)}` };
    },
    described: 'the https address of a CalDAV calendar',
    documented: 'A CalDAV calendar has its address as id, and an account.',
    shown: 'https://…',
  },
  setup: {
    heading: 'access to CalDAV servers',
    example: 'https://anna@cloud.clinic.example',
    host: 'server',
    secret: 'password',
    read(written: string) {
      const address = ADDRESS.test(written) ? written : `https://${written}`;
      const url = URL.canParse(address) ? new URL(address) : undefined;
      if (url === undefined || url.username === '' || url.password !== '') return undefined;
      const user = decodeURIComponent(url.username);
      url.username = '';
      return { url: url.href, user };
    },
    refused: 'has no user, or a password',
    advice: (name: string) =>
      `Write --caldav "${name}=https://user@cloud.clinic.example", with %40 for an @ in the user.`,
  },
};

export type CaldavSettings = ReturnType<typeof toCaldav>;
