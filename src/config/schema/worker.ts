import * as z from 'zod';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { complaint } from '../complaint.ts';
import { choice } from '../kinds/choice.ts';
import { duration } from '../kinds/duration.ts';
import { explained } from '../kinds/explained.ts';
import { oneOrMany } from '../kinds/list.ts';
import { wholeNumber } from '../kinds/number.ts';
import { section } from '../kinds/section.ts';
import { text } from '../kinds/text.ts';

export const httpSection = section({
  host: text({
    pattern: /^[A-Za-z0-9.:_-]+$/,
    wrong: complaint(
      'is no host name or address',
      'write an address to listen on such as 127.0.0.1 or 0.0.0.0',
    ),
  })
    .prefault('127.0.0.1')
    .meta(
      explained(
        'Address to listen on. 0.0.0.0 in a container, or when no reverse proxy stands on this machine.',
        { example: '0.0.0.0' },
      ),
    ),
  port: wholeNumber({ min: 0, max: 65_535 })
    .prefault(8080)
    .meta(explained('Port for webhooks, health, metrics and status. 0: any free one.', { example: 9000 })),
  hosts: oneOrMany(z.string(), readHost)
    .optional()
    .meta(
      explained(
        'Further names under which /status, /metrics and /readyz answer, such as the name by which Prometheus asks. Loopback names and the address itself always do; any other name is answered 421, so that no web page can read them. Webhooks and /healthz answer under every name.',
        { example: ['worker.internal'], since: 'Unreleased' },
      ),
    ),
});

function readHost(seen: string) {
  const value = seen.trim().toLowerCase();
  if (/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$|^\[[0-9a-f:.]+\]$/.test(value)) return { value };
  return { complaint: complaint('is no host name', 'write a name without a port, such as worker.internal') };
}

export const LANGUAGES = ['en', 'ru'] as const;

export const workerSection = section({
  concurrency: wholeNumber({ min: 1, max: 256 })
    .prefault(8)
    .meta(explained('How many objects are brought up to date at the same time.', { example: 16 })),
  attempts: wholeNumber({ min: 1, max: 100 })
    .prefault(40)
    .meta(
      explained(
        'Failed attempts after which an object becomes a dead letter. The pauses double from 1 s to 5 min, half of each left to chance: 40 attempts outlast an hour.',
        { example: 20 },
      ),
    ),
  shutdown: duration({ min: '0s', max: '10m' })
    .prefault('20s')
    .meta(
      explained(
        'How long a stopping worker waits for what it is doing. What is left is taken up at the next start, and nothing is lost.',
        { example: '60s' },
      ),
    ),
  flush_every: duration({ min: '10ms', max: '10m' })
    .prefault('2s')
    .meta(
      explained(
        'How long rows are gathered before a spreadsheet is written to. Longer: fewer requests, later rows.',
        { example: '10s' },
      ),
    ),
  journal: duration({ min: '0s', max: '400d' })
    .prefault('35d')
    .meta(
      explained(
        "How long the worker remembers which events it took, for `replay`: the platform's own feed forgets after 30 days. About 100 bytes of Redis memory an event. 0s keeps none.",
        { example: '90d', since: '0.2.0' },
      ),
    ),
  language: choice(LANGUAGES, 'language')
    .prefault('en')
    .meta(
      explained('Language of what the worker tells people in events, such as why a moved event went back.', {
        example: 'ru',
        since: '0.2.0',
      }),
    ),
  status_tab: text({
    pattern: /^[^'*?:[\]\\/]{1,100}$/,
    wrong: complaint(
      'is no title that Google takes for a tab',
      "write up to 100 characters without ' * ? : [ ] \\ /, such as Status",
    ),
  })
    .optional()
    .meta(
      explained(
        'Title of a tab that the worker adds to each spreadsheet of the mapping. It says up to when the spreadsheet is as on the platform, and what is wrong. Written at most once a minute, and only when something changed for people. Default: none.',
        { example: 'Status', since: 'Unreleased' },
      ),
    ),
  calendar_note: duration({ min: '5m', max: '7d' })
    .optional()
    .meta(
      explained(
        'A calendar of a mirror that could not be kept current for so long gets an all-day note that says so. It goes when the calendar is current again. Default: no notes.',
        { example: '30m', since: 'Unreleased' },
      ),
    ),
});

export const logSection = section({
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'log level')
    .prefault('info')
    .meta(explained('Least important line that is still written.', { example: 'debug' })),
  format: choice(['auto', 'pretty', 'json'], 'log format')
    .prefault('auto')
    .meta(explained('auto: pretty on a terminal, one JSON object per line elsewhere.', { example: 'json' })),
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
