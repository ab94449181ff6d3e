import type { z } from 'zod';
import { explained } from '../kinds/reading.ts';
import { section } from '../kinds/section.ts';
import { duration, flag } from '../kinds/text.ts';

/** The feed reaches back 30 days, and its events must still find the known objects. */
const FEED = '35d';

const keepSection = section({
  snapshots: explained(
    duration({ min: '1d', max: '3650d' }).prefault('90d'),
    "How long the content of a contact or conversation, or of an appointment or booking that is over, is kept after its last turn. Later the worker reads the object from the platform when it needs it. Also how long a person's consent outlives its account in the YAML.",
    { example: '30d', since: '0.3.0' },
  ),
  objects: explained(
    duration({ min: FEED, max: '3650d' }).prefault('400d'),
    'How long a past appointment that has an event or a row is remembered after its last turn. Objects without either are forgotten after 35 days.',
    { example: '730d', since: '0.3.0' },
  ),
  histories: explained(
    duration({ min: '1d', max: '3650d' }).prefault('35d'),
    'How long the history of an object is kept after its last entry. `explain` shows it.',
    { example: '14d', since: '0.3.0' },
  ),
  quarantine: explained(
    duration({ min: '1d', max: '3650d' }).prefault('35d'),
    'How long an unreadable delivery is kept. At most 1,000 are kept.',
    { example: '7d', since: '0.3.0' },
  ),
  dead_letters: explained(
    duration({ min: FEED, max: '3650d' }).prefault('180d'),
    'How long a dead letter is kept. Then it is discarded with a warning in the log.',
    { example: '90d', since: '0.3.0' },
  ),
  intents: explained(
    duration({ min: FEED, max: '3650d' }).prefault('180d'),
    'How long the outcome of an outside booking is kept after its last request.',
    { example: '365d', since: '0.3.0' },
  ),
});

export const privacySection = section({
  forget_deleted: explained(
    flag().prefault(false),
    'Whether contacts deleted on the platform are erased everywhere, as by `slotbridge forget contact`. More than 20 within an hour wait for approval. Needs the right contacts:read.',
    { example: true, since: '0.3.0' },
  ),
  keep: keepSection
    .prefault({})
    .describe('How long data about people stays in Redis. docs/privacy.md has the rest.'),
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
