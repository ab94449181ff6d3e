// The next step for a dead letter, by the code of its reason. An error that carries its own advice overrides it.

const WAIT = 'Wait until it works again, then retry. What stood in the way passes by itself.';
const RETRY = 'Retry it. If it comes back, read its story with `slotbridge explain`.';
const DEFECT = 'Report it as a defect of slotbridge, with the log line `object not mirrored`; then retry.';
const RIGHTS = 'See rights and projects of the API key: both are fixed when a key is made. Then retry.';

export const LETTER_ADVICE: Readonly<Record<string, string>> = {
  'appointment-unreadable':
    'Look at the appointment on the platform: it has no times or no status. Then retry.',
  'blocks-list-too-long': 'Shorten the horizon of the entry of blocks, restart, retry.',
  'booking-unsettled': RETRY,
  'cells-not-kept':
    "Find the script, add-on or program that writes into the mirror's columns of that row, take it off them, then retry.",
  'class-not-visible':
    'See that the project of its service is in the API key, and that service or resource is active; then retry. Nothing was deleted.',
  'class-too-large': 'Take its service out of classes, then retry.',
  'condition-failed': 'Look at the filters that where.if of the mirror uses, then retry.',
  'deletion-with-appointments':
    'See whether the card was merged with another. If not, run `slotbridge forget contact <id>`. Then discard the letter.',
  'deletion-unclear':
    'See whether the card was merged with another. If not, run `slotbridge forget contact <id>`. Then discard the letter.',
  'edit-loop':
    'Find the other program that writes to the calendar or the sheet, stop one of the two, then retry.',
  'edit-unsettled': RETRY,
  'etag-mismatch': RETRY,
  'event-forbidden':
    'Look at the event in the calendar: it belongs to another organizer, or may not be changed.',
  'event-ids-spent': "Empty the calendar's bin, then retry.",
  fenced: RETRY,
  forbidden: RIGHTS,
  'google-answer-too-large': 'Reduce the rows of the tab, or archive old rows, then retry.',
  'google-conflict': RETRY,
  'google-redirected': "Find the proxy that answers in Google's place, then retry.",
  'google-refused':
    'Change the template or the data that Google refuses (the message says which part), then retry.',
  'google-timeout': WAIT,
  'google-unavailable': WAIT,
  'google-unreachable': WAIT,
  'google-unreadable': WAIT,
  'idempotency-in-progress': WAIT,
  'idempotency-key-invalid': DEFECT,
  'intent-contended': RETRY,
  'intent-keys-spent': "Tell the platform's support, with the request id; then retry.",
  'intent-overtaken': RETRY,
  'lease-lost': RETRY,
  'mail-storm': 'See whether the changes are meant. If so, run `slotbridge approve mails` and retry.',
  'mapping-unresolved': 'Correct the name in the mapping, restart, then retry.',
  'mass-deletion':
    'Ask whoever keeps the calendar or the tab. If the appointments are to be cancelled, run `slotbridge approve deletions <calendar or mirror>` and retry.',
  'merge-contended': RETRY,
  'object-not-readable':
    'Look at it in the dashboard. Its next event brings the row up to date; else discard it.',
  'object-not-visible':
    'Appointments are never deleted: see that the project of this one is in the API key, then retry.',
  'platform-bad-answer': 'See that platform.base_url is the address of the API itself, then retry.',
  'platform-id-malformed': DEFECT,
  'platform-timeout': WAIT,
  'platform-unavailable': WAIT,
  'platform-unreachable': WAIT,
  'position-refused': RETRY,
  'project-not-in-key': 'Use an API key that covers the project, then retry. Nothing was deleted.',
  'request-not-repeatable': DEFECT,
  'sheet-changed': RETRY,
  'sheet-perhaps-written': RETRY,
  'sheet-unreadable': WAIT,
  'snapshot-missing': DEFECT,
  stopped: RETRY,
  'store-unavailable': 'See that Redis runs and has memory and disk left, then retry.',
  'sync-refused': RETRY,
  'template-failed':
    'Look at the filters of the template that the message names; `slotbridge check`, restart, retry.',
  unexpected: DEFECT,
  'unhandled-case': DEFECT,
};

/** Always returns advice: a code that is unknown here comes from the platform (platform API, Errors; the list may grow). */
export function adviceFor({ code, advice }: { readonly code: string; readonly advice?: string }): string {
  return advice ?? LETTER_ADVICE[code] ?? THE_PLATFORMS;
}

const THE_PLATFORMS =
  'The platform refused the request with this code of its own. Look at the object in its dashboard. If that explains nothing, tell its support the Request-Id. Then retry.';
