import * as z from 'zod';
import { withoutUndefined } from '../../engine/object.ts';
import { explained } from '../kinds/reading.ts';
import { oneOrMany, section } from '../kinds/section.ts';
import { choice, duration, text, wholeNumber } from '../kinds/text.ts';
import { complaint } from '../problem.ts';

export const httpSection = section({
  host: explained(
    text({
      pattern: /^[A-Za-z0-9.:_-]+$/,
      wrong: complaint(
        'is not a host name or address',
        'write an address to listen on such as 127.0.0.1 or 0.0.0.0',
      ),
    }).prefault('127.0.0.1'),
    'Address to listen on. Use 0.0.0.0 in a container, or if the reverse proxy runs on another machine.',
    { example: '0.0.0.0' },
  ),
  port: explained(
    wholeNumber({ min: 0, max: 65_535 }).prefault(8080),
    'Port for webhooks, health, metrics and status. 0: any free port.',
    { example: 9000 },
  ),
  hosts: explained(
    oneOrMany(z.string(), readHost).optional(),
    'Additional host names that may request /status, /metrics and /readyz, such as the name that Prometheus uses. Loopback names and the local address always may. Other names get 421, so that no web page can read these routes. /status and /metrics answer 421 to a proxy whose host name is not listed here. Webhooks and /healthz answer to every name.',
    { example: ['worker.internal'], since: '0.3.0' },
  ),
});

function readHost(seen: string) {
  const value = seen.trim().toLowerCase();
  if (/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$|^\[[0-9a-f:.]+\]$/.test(value)) return { value };
  return {
    complaint: complaint('is not a host name', 'write a name without a port, such as worker.internal'),
  };
}

export const LANGUAGES = ['en', 'ru'] as const;

export const workerSection = section({
  concurrency: explained(
    wholeNumber({ min: 1, max: 256 }).prefault(8),
    'How many objects are processed at the same time.',
    { example: 16 },
  ),
  attempts: explained(
    wholeNumber({ min: 1, max: 100 }).prefault(40),
    'Failed attempts after which an object becomes a dead letter. Pauses double from 1 s to 5 min and half of each is random, so 40 attempts last more than an hour.',
    { example: 20 },
  ),
  shutdown: explained(
    duration({ min: '0s', max: '10m' }).prefault('20s'),
    'How long a stopping worker waits for its current work. The rest continues at the next start; nothing is lost.',
    { example: '60s' },
  ),
  flush_every: explained(
    duration({ min: '10ms', max: '10m' }).prefault('2s'),
    'How long rows are collected before a spreadsheet is written. A longer time costs fewer requests and delays rows.',
    { example: '10s' },
  ),
  journal: explained(
    duration({ min: '0s', max: '400d' }).prefault('35d'),
    "How long `replay` can find an event by time or type. The platform's feed covers only 30 days. Costs about 100 bytes of Redis memory per event. 0s: not stored.",
    { example: '90d', since: '0.2.0' },
  ),
  language: explained(
    choice(LANGUAGES, 'language').prefault('en'),
    'Language of what the worker writes for people: texts in events and rows, the status tab, alert messages and web pages. Logs and commands are English.',
    { example: 'ru', since: '0.2.0' },
  ),
  status_tab: explained(
    text({
      pattern: /^[^'*?:[\]\\/]{1,100}$/,
      wrong: complaint(
        'is not a tab title that Google accepts',
        "write up to 100 characters without ' * ? : [ ] \\ /, such as Status",
      ),
    }).optional(),
    'Title of a tab that the worker adds to each spreadsheet of the mapping. It shows up to when the spreadsheet matches the platform, and what is wrong. It is written at most once a minute, and only after a visible change. Default: none.',
    { example: 'Status', since: '0.3.0' },
  ),
  calendar_note: explained(
    duration({ min: '5m', max: '7d' }).optional(),
    'How long a mirrored calendar may be out of date before the worker adds an all-day note to it. The note is removed when the calendar is current again. Default: no notes.',
    { example: '30m', since: '0.3.0' },
  ),
});

export const logSection = section({
  level: explained(
    choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'log level').prefault('info'),
    'Lowest level that is logged.',
    { example: 'debug' },
  ),
  format: explained(
    choice(['auto', 'pretty', 'json'], 'log format').prefault('auto'),
    'pretty is for reading, json is one object per line. auto: pretty on a terminal, json elsewhere.',
    { example: 'json' },
  ),
});

export function toHttp(written: z.output<typeof httpSection>) {
  const { host, port, hosts = [] } = written;
  return { host, port, hosts: [...new Set([host.toLowerCase(), ...hosts])] };
}

export function toWorker(written: z.output<typeof workerSection>) {
  return {
    concurrency: written.concurrency,
    attempts: written.attempts,
    shutdownMs: written.shutdown,
    flushEveryMs: written.flush_every,
    journalMs: written.journal,
    language: written.language,
    ...withoutUndefined({ statusTab: written.status_tab, calendarNoteMs: written.calendar_note }),
  };
}
