import type { z } from 'zod';
import { withoutUndefined } from '../../engine/object.ts';
import { explained } from '../kinds/reading.ts';
import { section } from '../kinds/section.ts';
import { duration, wholeNumber } from '../kinds/text.ts';
import { webAddress } from '../kinds/web-address.ts';

export const alertsSection = section({
  webhook: explained(
    webAddress('https://hooks.slack.com/services/T0/B0/secret', (url) => ({ value: url.href }), {
      query: true,
    }).optional(),
    'Address to which alerts are posted as {"text": …}: an incoming webhook of Slack, Mattermost or Google Chat, or a compatible one. It is a secret: keep it in a variable. Empty: alerts appear only in the log and the metrics.',
    { example: 'https://hooks.slack.com/services/T0/B0/secret' },
  ),
  lag: explained(
    duration({ min: '10s', max: '7d' }).prefault('5m'),
    'How long a change may wait for its calendars and sheets before `lag` is raised.',
    { example: '10m' },
  ),
  stuck: explained(
    duration({ min: '10s', max: '7d' }).prefault('10m'),
    'How long pending work may make no progress without a known problem before `stuck` is raised.',
    { example: '20m' },
  ),
  coverage: explained(
    duration({ min: '10s', max: '7d' }).prefault('10m'),
    'How long the event feed, a calendar or a booking sheet may lack proof of a read without a gap before `coverage` is raised. At least two rounds of that source plus 15 s.',
    { example: '20m' },
  ),
  hole: explained(
    duration({ min: '10s', max: '30d' }).prefault('30m'),
    'How long a hole may stay open before `hole-open` is raised. `hole`, for events that may have been missed, does not wait for this time.',
    { example: '1h' },
  ),
  dead_letters: explained(
    wholeNumber({ min: 0, max: 1_000_000 }).prefault(10),
    'Number of dead letters above which `many-dead-letters` is raised. Each new code also raises `dead-letters`.',
    { example: 50 },
  ),
  raise_after: explained(
    duration({ min: '0s', max: '1h' }).prefault('1m'),
    'How long a condition must last before its alert is sent. Raise it to skip short disturbances.',
    { example: '5m' },
  ),
  clear_after: explained(
    duration({ min: '0s', max: '1d' }).prefault('2m'),
    'How long a condition must be over before the alert is cleared. Raise it if an alert comes and goes.',
    { example: '5m' },
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
