import type { z } from 'zod';
import { complaint } from '../complaint.ts';
import type { GoogleConfig } from '../config.ts';
import { duration } from '../kinds/duration.ts';
import { flag } from '../kinds/flag.ts';
import { wholeNumber } from '../kinds/number.ts';
import { section } from '../kinds/section.ts';
import { text } from '../kinds/text.ts';
import { webAddress, withoutSlash, withSlash } from '../kinds/web-address.ts';

const perMinute = () => wholeNumber({ min: 1, max: 1_000_000 });

const quotasSection = section({
  calendar_per_minute: perMinute().prefault(600).describe('Requests per minute to Calendar.'),
  sheets_reads_per_minute: perMinute()
    .prefault(60)
    .describe("Reads per minute from Sheets. Google's own limit is 60 per user and project."),
  sheets_writes_per_minute: perMinute()
    .prefault(60)
    .describe("Writes per minute to Sheets. Google's own limit is 60 per user and project."),
});

const watchSection = section({
  every: duration({ min: '5s', max: '1h' })
    .prefault('1m')
    .describe(
      'How often each calendar is asked what has changed, where Google does not ping, or something changes. All calendars together use a quarter of quotas.calendar_per_minute for that; when they are too many, each is asked less often.',
    ),
  quiet_every: duration({ min: '5s', max: '6h' })
    .prefault('15m')
    .describe(
      'How seldom a calendar may be asked in which nothing has changed for long, while the pings of Google arrive. Pings may be lost, so it is asked all the same.',
    ),
  push: flag()
    .optional()
    .describe(
      'Whether Google pings this worker when a calendar changes, at /webhooks/google below platform.webhook.public_url. Default: true when that address is there and https, which Google insists on.',
    ),
  settle: duration({ min: '100ms', max: '5m' })
    .prefault('5s')
    .describe(
      'However many pings come, each calendar is asked at most once in this time. The own writes ping, too.',
    ),
  channel_ttl: duration({ min: '10m', max: '30d' })
    .prefault('7d')
    .describe('For how long Google is asked to ping; it may give less. Renewed when 80 % of it are over.'),
});

export const googleSection = section({
  credentials: text()
    .optional()
    .describe(
      'Path of a service-account key, or of what `slotbridge google login` keeps. It is read again when it is replaced. Empty: application default credentials of the machine.',
    ),
  act_as: text({
    pattern: /^[^\s@]+@[^\s@]+$/,
    wrong: complaint('is no e-mail address', 'write the address of the user, or remove the line'),
  })
    .optional()
    .describe('User whom the service account acts for (domain-wide delegation). Empty: it acts as itself.'),
  calendar_root_url: webAddress('https://www.googleapis.com/', (url) => ({ value: withSlash(url) }))
    .prefault('https://www.googleapis.com/')
    .describe('Root of the Calendar API. https only; http on loopback, where a sandbox may stand in.'),
  sheets_root_url: webAddress('https://sheets.googleapis.com/', (url) => ({ value: withSlash(url) }))
    .prefault('https://sheets.googleapis.com/')
    .describe('Root of the Sheets API. https only; http on loopback, where a sandbox may stand in.'),
  token_url: webAddress('https://oauth2.googleapis.com/token', (url) => ({ value: withoutSlash(url) }))
    .prefault('https://oauth2.googleapis.com/token')
    .describe('Where access tokens come from. https only; http on loopback, where a sandbox may stand in.'),
  timeout: duration({ min: '10ms', max: '5m' })
    .prefault('10s')
    .describe('How long one request to Google may take.'),
  watch: watchSection
    .prefault({})
    .describe('How changes that people make in mirrored calendars are noticed.'),
  quotas: quotasSection
    .prefault({})
    .describe('How many requests per minute the worker allows itself, all its processes together.'),
});

/** `publicUrl`: where Google reaches this worker, if it does. */
export function toGoogle(
  written: z.output<typeof googleSection>,
  publicUrl: string | undefined,
): GoogleConfig {
  const { every, quiet_every, push, settle, channel_ttl } = written.watch;
  return {
    watch: {
      everyMs: every,
      quietEveryMs: quiet_every,
      push: push ?? publicUrl?.startsWith('https:') === true,
      settleMs: settle,
      channelTtlMs: channel_ttl,
    },
    ...(written.credentials === undefined ? {} : { credentials: written.credentials }),
    ...(written.act_as === undefined ? {} : { actAs: written.act_as }),
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
