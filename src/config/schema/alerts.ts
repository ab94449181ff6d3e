import type { z } from 'zod';
import type { AlertsConfig } from '../config.ts';
import { duration } from '../kinds/duration.ts';
import { wholeNumber } from '../kinds/number.ts';
import { section } from '../kinds/section.ts';
import { webAddress } from '../kinds/web-address.ts';

export const alertsSection = section({
  webhook: webAddress('https://hooks.slack.com/services/T0/B0/secret', (url) => ({ value: url.href }), {
    query: true,
  })
    .optional()
    .describe(
      'Where alerts are posted as {"text": …}: an incoming webhook of Slack, or of what takes the same. A secret: keep it in a variable. Empty: alerts stand in the log and the metrics only.',
    ),
  lag: duration({ min: '10s', max: '7d' })
    .prefault('5m')
    .describe('How long a change may wait for its calendars and sheets.'),
  stuck: duration({ min: '10s', max: '7d' })
    .prefault('10m')
    .describe('How long pending work may stand still although no problem is known that holds it up.'),
  coverage: duration({ min: '10s', max: '7d' })
    .prefault('10m')
    .describe(
      'How old the proof may be that the event feed, a watched calendar or an intake sheet was read without a gap. At least two of its rounds.',
    ),
  hole: duration({ min: '10s', max: '30d' })
    .prefault('30m')
    .describe('How long a hole may stay open. That events may have been missed is told at once.'),
  dead_letters: wholeNumber({ min: 0, max: 1_000_000 })
    .prefault(10)
    .describe('More dead letters than this are an alert of their own. A new cause always is one.'),
  raise_after: duration({ min: '0s', max: '1h' })
    .prefault('1m')
    .describe('How long it has to stand before it is told.'),
  clear_after: duration({ min: '0s', max: '1d' })
    .prefault('2m')
    .describe('How long it has to be gone before the all-clear, so that what comes and goes is told once.'),
});

export function toAlerts(written: z.output<typeof alertsSection>): AlertsConfig {
  return {
    ...(written.webhook === undefined ? {} : { webhook: written.webhook }),
    lagMs: written.lag,
    stuckMs: written.stuck,
    coverageMs: written.coverage,
    holeMs: written.hole,
    deadLetters: written.dead_letters,
    raiseAfterMs: written.raise_after,
    clearAfterMs: written.clear_after,
  };
}
