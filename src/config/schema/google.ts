import type { z } from 'zod';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { complaint } from '../complaint.ts';
import { duration } from '../kinds/duration.ts';
import { entries } from '../kinds/entries.ts';
import { explained } from '../kinds/explained.ts';
import { flag } from '../kinds/flag.ts';
import { wholeNumber } from '../kinds/number.ts';
import { secretList } from '../kinds/secret-list.ts';
import { section } from '../kinds/section.ts';
import { text } from '../kinds/text.ts';
import { webAddress, withoutSlash, withSlash } from '../kinds/web-address.ts';
import { MIRROR_NAME } from './mirror.ts';

const ACCOUNTS_MAX = 1_000;

const perMinute = () => wholeNumber({ min: 1, max: 1_000_000 });

const quotasSection = section({
  calendar_per_minute: perMinute()
    .prefault(600)
    .meta(explained('Requests per minute to Calendar.', { example: 900 })),
  sheets_reads_per_minute: perMinute()
    .prefault(60)
    .meta(
      explained("Reads per minute from Sheets. Google's own limit is 60 per user and project.", {
        example: 300,
      }),
    ),
  sheets_writes_per_minute: perMinute()
    .prefault(60)
    .meta(
      explained("Writes per minute to Sheets. Google's own limit is 60 per user and project.", {
        example: 300,
      }),
    ),
});

const watchSection = section({
  every: duration({ min: '5s', max: '1h' })
    .prefault('1m')
    .meta(
      explained(
        'How often each calendar is asked what has changed, where Google does not ping, or something changes. All calendars together use a quarter of quotas.calendar_per_minute for that; when they are too many, each is asked less often.',
        { example: '2m' },
      ),
    ),
  quiet_every: duration({ min: '5s', max: '6h' })
    .prefault('15m')
    .meta(
      explained(
        'How seldom a calendar may be asked in which nothing has changed for long, while the pings of Google arrive. Pings may be lost, so it is asked all the same.',
        { example: '30m', since: 'Unreleased' },
      ),
    ),
  push: flag()
    .optional()
    .meta(
      explained(
        'Whether Google pings this worker when a calendar changes, at /webhooks/google below platform.webhook.public_url. Default: true when that address is there and https, which Google insists on.',
        { example: true },
      ),
    ),
  settle: duration({ min: '100ms', max: '5m' })
    .prefault('5s')
    .meta(
      explained(
        'However many pings come, each calendar is asked at most once in this time. The own writes ping, too.',
        { example: '10s' },
      ),
    ),
  channel_ttl: duration({ min: '10m', max: '30d' })
    .prefault('7d')
    .meta(
      explained('For how long Google is asked to ping; it may give less. Renewed when 80 % of it are over.', {
        example: '3d',
      }),
    ),
});

const user = () =>
  text({
    pattern: /^[^\s@]+@[^\s@]+$/,
    wrong: complaint('is no e-mail address', 'write the address of the user, or remove the line'),
  });

const accountSection = section({
  credentials: text()
    .optional()
    .meta(
      explained(
        'Path of a service-account key, or of what `slotbridge google login` keeps. Default: that of google.credentials.',
        { example: './secrets/branch-key.json', since: 'Unreleased' },
      ),
    ),
  act_as: user()
    .optional()
    .meta(
      explained('User whom this account acts for (domain-wide delegation). Default: none.', {
        example: 'office@branch.example',
        since: 'Unreleased',
      }),
    ),
  consent: user()
    .optional()
    .meta(
      explained(
        'Address of the person who agrees in a browser that the worker uses their calendars (`slotbridge google invite <address> --consent`), instead of credentials. Needs google.consent and platform.webhook.public_url. Default: none.',
        { example: 'director@clinic.example', since: 'Unreleased' },
      ),
    ),
});

const consentSection = section({
  client: text().meta(
    explained(
      'Path of the JSON of an OAuth client of the type "Web application" whose redirect address is /google/consent below platform.webhook.public_url.',
      { example: './secrets/google-web-client.json', since: 'Unreleased' },
    ),
  ),
  keys: secretList().meta(
    explained(
      'Keys by which the refresh tokens in Redis are encrypted: 32 bytes in base64 (`openssl rand -base64 32`), from the environment. The first one encrypts; the others only read, and what they read is encrypted again.',
      { example: [`\${GOOGLE_CONSENT_KEY}`], since: 'Unreleased' },
    ),
  ),
});

export const googleSection = section({
  credentials: text()
    .optional()
    .meta(
      explained(
        'Path of a service-account key, or of what `slotbridge google login` keeps of a sign-in. It is read again when it is replaced. Empty: application default credentials of the machine (a workload identity, or `gcloud auth application-default login`). Share the calendars and spreadsheets with this account.',
        { example: `\${GOOGLE_APPLICATION_CREDENTIALS}` },
      ),
    ),
  act_as: user()
    .optional()
    .meta(
      explained(
        'User whom the service account acts for (domain-wide delegation). Empty: it acts as itself.',
        { example: 'office@clinic.example' },
      ),
    ),
  accounts: entries(accountSection, {
    noun: 'account',
    example: 'branch-two: { credentials: ./data/branch-two-key.json }',
    max: ACCOUNTS_MAX,
    names: MIRROR_NAME,
  })
    .optional()
    .meta(
      explained(
        'Google accounts beside the one above, each under a name of your choice. The name appears in logs: use no names of people. A calendar or a sheet that names none uses the one above.',
        { since: 'Unreleased' },
      ),
    ),
  consent: consentSection.optional().meta(
    explained('How people agree in a browser, for accounts with consent. Default: none.', {
      since: 'Unreleased',
    }),
  ),
  calendar_root_url: webAddress('https://www.googleapis.com/', (url) => ({ value: withSlash(url) }))
    .prefault('https://www.googleapis.com/')
    .meta(
      explained('Root of the Calendar API. https only; http on loopback, where the sandbox may stand in.', {
        example: 'http://127.0.0.1:4020/',
      }),
    ),
  sheets_root_url: webAddress('https://sheets.googleapis.com/', (url) => ({ value: withSlash(url) }))
    .prefault('https://sheets.googleapis.com/')
    .meta(
      explained('Root of the Sheets API. https only; http on loopback, where the sandbox may stand in.', {
        example: 'http://127.0.0.1:4020/',
      }),
    ),
  token_url: webAddress('https://oauth2.googleapis.com/token', (url) => ({ value: withoutSlash(url) }))
    .prefault('https://oauth2.googleapis.com/token')
    .meta(
      explained(
        'Where access tokens come from. https only; http on loopback, where the sandbox may stand in.',
        { example: 'http://127.0.0.1:4020/token' },
      ),
    ),
  timeout: duration({ min: '10ms', max: '5m' })
    .prefault('10s')
    .meta(explained('How long one request to Google may take.', { example: '20s' })),
  watch: watchSection
    .prefault({})
    .meta(explained('How changes that people make in mirrored calendars are noticed.', { since: '0.2.0' })),
  quotas: quotasSection
    .prefault({})
    .describe(
      'How many requests per minute the worker allows itself, all its processes together. Raise them when Google has raised the quotas of your project.',
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
