import type { z } from 'zod';
import { withoutUndefined } from '../../engine/object.ts';
import { explained } from '../kinds/reading.ts';
import { ENTRY_NAME, entries, secretList, section } from '../kinds/section.ts';
import { duration, flag, text, wholeNumber } from '../kinds/text.ts';
import { webAddress, withoutSlash, withSlash } from '../kinds/web-address.ts';
import { complaint } from '../problem.ts';

const ACCOUNTS_MAX = 1_000;

const perMinute = () => wholeNumber({ min: 1, max: 1_000_000 });

const quotasSection = section({
  calendar_per_minute: explained(perMinute().prefault(600), 'Calendar requests per minute and account.', {
    example: 900,
  }),
  sheets_reads_per_minute: explained(
    perMinute().prefault(60),
    "Sheets reads per minute and account. Google's default limit is 60 per user and project.",
    { example: 300 },
  ),
  sheets_writes_per_minute: explained(
    perMinute().prefault(60),
    "Sheets writes per minute and account. Google's default limit is 60 per user and project.",
    { example: 300 },
  ),
});

const watchSection = section({
  every: explained(
    duration({ min: '5s', max: '1h' }).prefault('1m'),
    'How often the worker reads the changes of a calendar that changes, or whose pings do not arrive. The calendars of one account share a quarter of quotas.calendar_per_minute. If there are too many for it, each is read less often.',
    { example: '2m' },
  ),
  quiet_every: explained(
    duration({ min: '5s', max: '6h' }).prefault('15m'),
    'Longest time between two reads of a calendar whose pings arrive and which has not changed for as long. It limits the delay after a lost ping.',
    { example: '30m', since: '0.3.0' },
  ),
  push: explained(
    flag().optional(),
    'Whether Google pings this worker at /webhooks/google below platform.webhook.public_url when a calendar changes. Google requires https. Default: true if that address is set and https.',
    { example: true },
  ),
  settle: explained(
    duration({ min: '100ms', max: '5m' }).prefault('5s'),
    "Shortest time between two reads of one calendar, however many pings arrive. The worker's own writes cause pings too.",
    { example: '10s' },
  ),
  channel_ttl: explained(
    duration({ min: '10m', max: '30d' }).prefault('7d'),
    'Lifetime that the worker requests for a push channel; Google may grant less. The worker renews it after 80 % of that time.',
    { example: '3d' },
  ),
});

const user = () =>
  text({
    pattern: /^[^\s@]+@[^\s@]+$/,
    wrong: complaint('is not an e-mail address', 'write the address of the user, or remove the line'),
  });

const accountSection = section({
  credentials: explained(
    text().optional(),
    'Path of a service-account key, or of a sign-in saved by `slotbridge google login`. Default: the value of google.credentials.',
    { example: './secrets/branch-key.json', since: '0.3.0' },
  ),
  act_as: explained(
    user().optional(),
    'User as whom this account acts (domain-wide delegation). Default: none.',
    { example: 'office@branch.example', since: '0.3.0' },
  ),
  consent: explained(
    user().optional(),
    'Address of a person who consents in a browser to the use of their calendars (`slotbridge google invite <address> --consent`). Replaces credentials. Needs google.consent and platform.webhook.public_url. Default: none.',
    { example: 'director@clinic.example', since: '0.3.0' },
  ),
});

const consentSection = section({
  client: explained(
    text(),
    'Path of the JSON file of an OAuth client of type "Web application". Its redirect address must be /google/consent below platform.webhook.public_url.',
    { example: './secrets/google-web-client.json', since: '0.3.0' },
  ),
  keys: explained(
    secretList(),
    'Keys that encrypt the refresh tokens in Redis: 32 bytes in base64 (`openssl rand -base64 32`), from the environment. The first key encrypts. The others only decrypt; the worker re-encrypts what they decrypt with the first.',
    { example: [`\${GOOGLE_CONSENT_KEY}`], since: '0.3.0' },
  ),
});

export const googleSection = section({
  credentials: explained(
    text().optional(),
    "Path of a service-account key, or of a sign-in saved by `slotbridge google login`. The worker reads it again after a change. Empty: the machine's application default credentials (a workload identity, or `gcloud auth application-default login`). Share the calendars and spreadsheets with this account.",
    { example: `\${GOOGLE_APPLICATION_CREDENTIALS}` },
  ),
  act_as: explained(
    user().optional(),
    'User as whom the service account acts (domain-wide delegation). Empty: it acts as itself.',
    { example: 'office@clinic.example' },
  ),
  accounts: explained(
    entries(accountSection, {
      noun: 'account',
      example: 'branch-two: { credentials: ./data/branch-two-key.json }',
      max: ACCOUNTS_MAX,
      names: ENTRY_NAME,
    }).optional(),
    'Further Google accounts, each under a name of your choice. Names appear in logs, so do not use names of people. Calendars and sheets without account use the default account, set directly under google.',
    { since: '0.3.0' },
  ),
  consent: explained(
    consentSection.optional(),
    'How people consent in a browser. Needed for accounts with consent. Default: none.',
    { since: '0.3.0' },
  ),
  calendar_root_url: explained(
    webAddress('https://www.googleapis.com/', (url) => ({ value: withSlash(url) })).prefault(
      'https://www.googleapis.com/',
    ),
    'Root of the Calendar API. Must be https, except on loopback, for a sandbox.',
    { example: 'http://127.0.0.1:4020/' },
  ),
  sheets_root_url: explained(
    webAddress('https://sheets.googleapis.com/', (url) => ({ value: withSlash(url) })).prefault(
      'https://sheets.googleapis.com/',
    ),
    'Root of the Sheets API. Must be https, except on loopback, for a sandbox.',
    { example: 'http://127.0.0.1:4020/' },
  ),
  token_url: explained(
    webAddress('https://oauth2.googleapis.com/token', (url) => ({ value: withoutSlash(url) })).prefault(
      'https://oauth2.googleapis.com/token',
    ),
    'Where the worker gets access tokens. Must be https, except on loopback, for a sandbox.',
    { example: 'http://127.0.0.1:4020/token' },
  ),
  timeout: explained(
    duration({ min: '10ms', max: '5m' }).prefault('10s'),
    'Time limit for one request to Google. A slower request fails and is retried.',
    { example: '20s' },
  ),
  watch: explained(
    watchSection.prefault({}),
    'How the worker notices changes that people make in mirrored calendars.',
    { since: '0.2.0' },
  ),
  quotas: quotasSection
    .prefault({})
    .describe(
      'Request limits per minute for each Google account, shared by all processes of the worker. Raise them after Google has raised the quotas of your project.',
    ),
});

/** `publicUrl`: where Google reaches this worker, if it can. */
export function toGoogle(written: z.output<typeof googleSection>, publicUrl: string | undefined) {
  const { every, quiet_every, push, settle, channel_ttl } = written.watch;
  return {
    watch: {
      everyMs: every,
      quietEveryMs: quiet_every,
      push: push ?? publicUrl?.startsWith('https:') === true,
      settleMs: settle,
      channelTtlMs: channel_ttl,
    },
    ...withoutUndefined({
      credentials: written.credentials,
      actAs: written.act_as,
      consent: written.consent,
    }),
    ...withoutUndefined({ accounts: written.accounts && toAccounts(written.accounts, written) }),
    calendarRootUrl: written.calendar_root_url,
    sheetsRootUrl: written.sheets_root_url,
    tokenUrl: written.token_url,
    timeoutMs: written.timeout,
    quotas: {
      calendarPerMinute: written.quotas.calendar_per_minute,
      sheetsReadsPerMinute: written.quotas.sheets_reads_per_minute,
      sheetsWritesPerMinute: written.quotas.sheets_writes_per_minute,
    },
  };
}

function toAccounts(
  written: NonNullable<z.output<typeof googleSection>['accounts']>,
  google: { readonly credentials?: string | undefined },
) {
  return Object.fromEntries(
    Object.entries(written).map(([name, { credentials = google.credentials, act_as: actAs, consent }]) => {
      const isOfPerson = consent !== undefined;
      return [name, withoutUndefined(isOfPerson ? { consent } : { credentials, actAs })];
    }),
  );
}
