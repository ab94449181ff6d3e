import { counted } from '../idle.ts';
import { spokenDuration } from '../spoken-time.ts';
import type { AlertWords, UnreadSource } from './alert-words.ts';

const SEARCHED: Readonly<Record<UnreadSource['is'], string>> = {
  feed: '`feed walk failed`',
  calendar: '`calendar sync failed`',
  'booking-sheet': '`loop failed; will retry`',
  blocks: '`private calendar not read`',
};

/** The log speaks English, so these also stand in it. */
export const ALERTS_EN: AlertWords = {
  lag: (objects, oldestS) => ({
    text: `changes wait for their calendars and sheets, the oldest for ${spokenDuration(oldestS)} (${counted(objects, 'object')})`,
    advice: 'Run `slotbridge status`: it shows what they wait for.',
  }),
  stuck: ({ objects, rows, forS }) => ({
    text: `pending work has not moved for ${spokenDuration(forS)} (${counted(objects, 'object')}, ${counted(rows, 'row')}), and no known problem explains it`,
    advice:
      'Search the log for `object not mirrored`. If there are no such lines, restart the worker: nothing is lost.',
  }),
  coverage: (source, ageS) => ({
    text: `${sourceName(source)}: ${ageS === undefined ? 'its last proof lies in the future, because the clock was set back' : `no proof of a complete read for ${spokenDuration(ageS)}`}`,
    advice: `Run \`slotbridge status\`, and search the log for ${SEARCHED[source.is]} or \`could not start yet; will retry\`.`,
  }),
  hole: (stretch) => ({
    text: `events may have been missed (${stretch.cause}), ${stretchName(stretch)}`,
    advice: 'Nothing, if its resync finishes: `slotbridge status` shows the hole until then.',
  }),
  holeOpen: (stretch, openS) => ({
    text: `a hole (${stretch.cause}) has been open for ${spokenDuration(openS)}, ${stretchName(stretch)}`,
    advice:
      stretch.to === null
        ? 'Fix the webhook endpoint: `slotbridge webhook status` shows what is wrong.'
        : 'Search the log for `resync`, and check the problems in `slotbridge status`.',
  }),
  resyncHangs: (cause, openS) => ({
    text: `a requested resync (${cause}) has been running for ${spokenDuration(openS)}`,
    advice: 'Search the log for `resync`, and check the problems in `slotbridge status`.',
  }),
  deadLetters: (code, count) => ({
    text: `${counted(count, 'object was', 'objects were')} given up with the code ${code}`,
    advice: `Run \`slotbridge deadletters list\`; fix the cause, then run \`slotbridge deadletters retry --code ${code}\`.`,
  }),
  manyDeadLetters: (count, bound) => ({
    text: `${counted(count, 'object was', 'objects were')} given up in total, more than ${bound}`,
    advice: 'Run `slotbridge deadletters list`: it groups them by cause.',
  }),
  stateUnreadable: ({ advice = 'Check that Redis runs and has memory and disk left.' }) => ({
    text: 'the state in Redis cannot be read or written; webhooks get 503, and the platform sends them again',
    advice,
  }),
  problem: ({ target, place, code, message, advice }) => ({
    text: `${place === undefined ? target : `${target}, ${place}`}: ${message} (${code})`,
    advice: advice ?? 'Run `slotbridge status`.',
  }),
  mappedName: (mirror, code) => ({
    text: `mapping:${mirror}: a name in the mapping no longer matches exactly one resource (${code})`,
    advice: 'Run `slotbridge status`: it shows the resource and what to do.',
  }),
  places: {
    calendarOfMirror: (mirror) => `a calendar of the mirror ${mirror}`,
    calendarOfBookings: (entry) => `a calendar of bookings.${entry}`,
    tab: (title) => `the tab "${title}"`,
    spreadsheet: (titles) =>
      `the spreadsheet with ${titles.length === 1 ? 'the tab' : 'the tabs'} ${titles.map((title) => `"${title}"`).join(', ')}`,
  },
  message: {
    installation: (prefix, host) => `${prefix} at ${host}`,
    raised: (alert, text) => `ALERT ${alert}: ${text}`,
    cleared: (alert, text, stoodS) => `over, after ${spokenDuration(stoodS)}: ${alert}: ${text}`,
    dropped: (count) => `${count} older alerts could not be sent in time and were dropped; see the log`,
    console: (address) => `Console: ${address}`,
    runbook: (section) => `Runbook: docs/runbook.md#${section}`,
  },
};

function sourceName(source: UnreadSource): string {
  if (source.is === 'feed') return 'event feed';
  if (source.is === 'blocks') return `blocks ${source.entry}`;
  if (source.is === 'booking-sheet') return `booking sheet ${source.entry}`;
  return `calendar ${source.calendar}${source.place === undefined ? '' : `, ${source.place}`}`;
}

function stretchName({ from, to }: { readonly from: string | null; readonly to: string | null }): string {
  return `from ${from ?? 'the beginning'} to ${to ?? 'now, and growing'}`;
}
