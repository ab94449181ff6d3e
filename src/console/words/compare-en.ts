import type { DifferenceKind } from '../../engine/finding.ts';
import type { Fixed } from '../../operate/audit/fix.ts';
import { pluralEn as plural } from '../../operate/codes/words-en.ts';

/** Texts of the page that compares. */
export const COMPARE_EN = {
  title: 'Compare',
  lead: 'Compares the platform with what is in calendars and tabs, and gives a reason for each difference.',
  none: 'Nothing has been compared since this worker started.',
  cost: 'Reads all lists of the platform, all calendars and all tabs, within the budgets. Nothing is written.',
  button: 'Compare now',
  runs: 'Comparing',
  read: (objects: number, reading: string) =>
    `${plural(objects, 'object')} compared${reading && `, now ${reading}`}`,
  estimate: (requests: number, duration: string) =>
    `About ${plural(requests, 'request')} to the platform, at least ${duration}.`,
  waits: {
    platform: (duration: string) => `Waits ${duration} for the platform’s limit.`,
    google: (duration: string) => `Waits ${duration} for Google’s limit.`,
  },
  failed: 'The comparison did not finish',
  failedText: (code: string) => `${code}: see the worker’s log, then start it again.`,
  busy: 'Another worker is comparing. Look there, or wait.',
  found: (count: number) => (count === 0 ? 'No difference' : plural(count, 'difference')),
  compared: (objects: number, standing: number) =>
    `${plural(objects, 'object')} of the platform, ${plural(standing, 'event or row', 'events and rows')} read.`,
  unread: (place: string, code: string) => `${place} could not be read: ${code}`,
  'other-mapping':
    'What is stored belongs to other settings than this worker’s, so nothing was removed. Restart the worker, then compare again.',
  heal: 'Heal differences',
  heals: {
    missing: 'are written',
    stale: 'are written again',
    doubled: 'second events are removed; copied rows stay',
    orphaned: 'are removed, after the platform was asked about each',
    unmapped: 'are removed, because the settings no longer include them',
  } satisfies Record<DifferenceKind, string>,
  healMeans:
    'Everything is compared once more. Only differences of this page that are still there are healed. Removing much from one place waits for an approval.',
  healButton: 'Compare and heal',
  noneTicked: 'Nothing was ticked. Nothing was done.',
  changed: 'There is a newer comparison than the page showed. Nothing was done: look again.',
  healedTitle: 'Healed',
  nothingFound: 'Nothing of it was found again.',
  healed: {
    'given a turn': (count: number) => `${plural(count, 'object')} will be written within moments`,
    'taken away': (count: number) => `${plural(count, 'event')} removed`,
    'waits for a person': (count: number) =>
      `${plural(count, 'removal')} ${count === 1 ? 'waits' : 'wait'} for an approval`,
    'not shown to the key': (count: number) =>
      `${plural(count, 'object')} left alone: the API key does not cover the project`,
    nothing: (count: number) => `${plural(count, 'difference')} left for a person`,
  } satisfies Record<Fixed, (count: number) => string>,
  healedAfter: 'The list below is as it was before. Compare again to see what is left.',
  what: 'What',
  why: 'Why',
  where: 'Where',
};
