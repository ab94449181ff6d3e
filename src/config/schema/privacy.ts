import type { z } from 'zod';
import { duration } from '../kinds/duration.ts';
import { explained } from '../kinds/explained.ts';
import { flag } from '../kinds/flag.ts';
import { section } from '../kinds/section.ts';

/** The feed reaches back 30 days, and its events must still find the known objects. */
const FEED = '35d';

const keepSection = section({
  snapshots: duration({ min: '1d', max: '3650d' })
    .prefault('90d')
    .meta(
      explained(
        'How long after its last turn the content of a contact or conversation, or of an appointment or booking that is over, is kept. Later the object is read from the platform when it is needed.',
        { example: '30d', since: 'Unreleased' },
      ),
    ),
  objects: duration({ min: FEED, max: '3650d' })
    .prefault('400d')
    .meta(
      explained(
        'How long after its last turn an appointment that is over is remembered at all, although its event or row stands. Objects that stand nowhere are forgotten after 35 days.',
        { example: '730d', since: 'Unreleased' },
      ),
    ),
  histories: duration({ min: '1d', max: '3650d' })
    .prefault('35d')
    .meta(
      explained('How long after its last entry the history of an object is kept, for `explain`.', {
        example: '14d',
        since: 'Unreleased',
      }),
    ),
  quarantine: duration({ min: '1d', max: '3650d' })
    .prefault('35d')
    .meta(
      explained('How long a delivery that could not be understood is kept, at most 1,000 of them.', {
        example: '7d',
        since: 'Unreleased',
      }),
    ),
  dead_letters: duration({ min: FEED, max: '3650d' })
    .prefault('180d')
    .meta(
      explained('How long a dead letter waits for somebody. Then it is discarded, and a warning is logged.', {
        example: '90d',
        since: 'Unreleased',
      }),
    ),
  intents: duration({ min: FEED, max: '3650d' })
    .prefault('180d')
    .meta(
      explained('How long after its last request the worker remembers what became of an outside booking.', {
        example: '365d',
        since: 'Unreleased',
      }),
    ),
});

export const privacySection = section({
  forget_deleted: flag()
    .prefault(false)
    .meta(
      explained(
        'Whether a contact that was deleted on the platform is erased everywhere, as by `slotbridge forget contact`. More than 20 an hour wait for a person. Needs the right contacts:read.',
        { example: true, since: 'Unreleased' },
      ),
    ),
  keep: keepSection
    .prefault({})
    .describe('How long the worker keeps what in Redis. docs/privacy.md has the rest.'),
});

export function toPrivacy({ keep, forget_deleted: forgetDeleted }: z.output<typeof privacySection>) {
  return {
    forgetDeleted,
    keep: {
      snapshotsMs: keep.snapshots,
      objectsMs: keep.objects,
      historiesMs: keep.histories,
      quarantineMs: keep.quarantine,
      deadLettersMs: keep.dead_letters,
      intentsMs: keep.intents,
    },
  };
}
