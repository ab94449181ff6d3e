import type { z } from 'zod';
import { withoutUndefined } from '../../domain/without-undefined.ts';
import { duration } from '../kinds/duration.ts';
import { explained } from '../kinds/explained.ts';
import { wholeNumber } from '../kinds/number.ts';
import { section } from '../kinds/section.ts';
import { webAddress } from '../kinds/web-address.ts';

export const alertsSection = section({
  webhook: webAddress('https://hooks.slack.com/services/T0/B0/secret', (url) => ({ value: url.href }), {
    query: true,
  })
    .optional()
    .meta(
      explained(
        'Where alerts are posted as {"text": …}: an incoming webhook of Slack, Mattermost, Google Chat, or of what takes the same. It is a secret: keep it in a variable. Empty: alerts stand in the log and the metrics only.',
        { example: 'https://hooks.slack.com/services/T0/B0/secret' },
      ),
    ),
  lag: duration({ min: '10s', max: '7d' })
    .prefault('5m')
    .meta(explained('How long a change may wait for its calendars and sheets.', { example: '10m' })),
  stuck: duration({ min: '10s', max: '7d' })
    .prefault('10m')
    .meta(
      explained('How long pending work may stand still although no problem is known that holds it up.', {
        example: '20m',
      }),
    ),
  coverage: duration({ min: '10s', max: '7d' })
    .prefault('10m')
    .meta(
      explained(
        'How old the proof may be that the event feed, a watched calendar or a booking sheet was read without a gap. Never less than two of its rounds and 15 s.',
        { example: '20m' },
      ),
    ),
  hole: duration({ min: '10s', max: '30d' })
    .prefault('30m')
    .meta(
      explained('How long a hole may stay open. That events may have been missed is told at once.', {
        example: '1h',
      }),
    ),
  dead_letters: wholeNumber({ min: 0, max: 1_000_000 })
    .prefault(10)
    .meta(
      explained('More dead letters than this are an alert of their own. A new cause always is one.', {
        example: 50,
      }),
    ),
  raise_after: duration({ min: '0s', max: '1h' })
    .prefault('1m')
    .meta(explained('How long a problem has to stand before it is told.', { example: '5m' })),
  clear_after: duration({ min: '0s', max: '1d' })
    .prefault('2m')
    .meta(
      explained(
        'How long a problem has to be gone before the all-clear, so that what comes and goes is told once.',
        { example: '5m' },
      ),
    ),
});

export function toAlerts(written: z.output<typeof alertsSection>) {
  return {
    ...withoutUndefined({ webhook: written.webhook }),
    lagMs: written.lag,
    stuckMs: written.stuck,
    coverageMs: written.coverage,
    holeMs: written.hole,
    deadLetters: written.dead_letters,
    raiseAfterMs: written.raise_after,
    clearAfterMs: written.clear_after,
  };
}
