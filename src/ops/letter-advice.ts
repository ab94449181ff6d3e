// The next step for a dead letter, by the code of its reason. An error that carries its own advice overrides it.

const WAIT = 'Wait until it works again, then retry. The cause ends without action.';
const RETRY = 'Retry it. If it fails again, read its story with `slotbridge explain`.';
const DEFECT = 'Report it as a bug in slotbridge, with the log line `object not mirrored`. Then retry.';
const RIGHTS =
  'Check the rights and projects of the API key: both are fixed when a key is created. Then retry.';

export const LETTER_ADVICE: Readonly<Record<string, string>> = {
  'appointment-unreadable':
    'Check the appointment on the platform: it has no times or no status. Then retry.',
  'blocks-list-too-long': 'Shorten the horizon of the entry in blocks, restart, then retry.',
  'booking-unsettled': RETRY,
  'cells-not-kept':
    "Find the script, add-on or program that writes to the mirror's columns in this row, remove it, then retry.",
  'class-not-visible':
    'Check that the API key covers the project of the service, and that service and resource are active. Then retry. Nothing was deleted.',
  'class-too-large': 'Remove its service from classes, then retry.',
  'condition-failed': 'Check the filters in where.if of the mirror, then retry.',
  'deletion-with-appointments':
    'Check whether the card was merged with another. If not, run `slotbridge forget contact <id>`. Then discard the letter.',
  'deletion-unclear':
    'Check whether the card was merged with another. If not, run `slotbridge forget contact <id>`. Then discard the letter.',
  'edit-loop':
    'Two programs write to the calendar or sheet. Find the other one, stop one of them, then retry.',
  'edit-unsettled': RETRY,
  'etag-mismatch': RETRY,
  'event-forbidden':
    'Check the event in the calendar: it belongs to another organizer, or the worker may not change it.',
  'event-ids-spent': "Empty the calendar's bin, then retry.",
  fenced: RETRY,
  forbidden: RIGHTS,
  'google-answer-too-large': 'Reduce the rows of the tab, or archive old rows, then retry.',
  'google-conflict': RETRY,
  'google-redirected': 'Find the proxy that answers for Google, remove it, then retry.',
  'google-refused':
    'Change the template or the data that Google refuses (the message names the part), then retry.',
  'google-timeout': WAIT,
  'google-unavailable': WAIT,
  'google-unreachable': WAIT,
  'google-unreadable': WAIT,
  'idempotency-in-progress': WAIT,
  'idempotency-key-invalid': DEFECT,
  'intent-contended': RETRY,
  'intent-keys-spent': "Report it to the platform's support, with the request id. Then retry.",
  'intent-overtaken': RETRY,
  'lease-lost': RETRY,
  'mail-storm': 'Check whether the changes are intended. If so, run `slotbridge approve mails` and retry.',
  'mapping-unresolved': 'Correct the name in the mapping, restart, then retry.',
  'mass-deletion':
    'Ask the owner of the calendar or tab. If the appointments should be cancelled, run `slotbridge approve deletions <calendar or mirror>` and retry.',
  'merge-contended': RETRY,
  'object-not-readable': 'Check it in the dashboard. Its next event updates the row; otherwise discard it.',
  'object-not-visible':
    'Appointments are never deleted: check that the API key covers the project of this one, then retry.',
  'platform-bad-answer': 'Check that platform.base_url is the address of the API itself, then retry.',
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
  'store-unavailable': 'Check that Redis runs and has memory and disk left, then retry.',
  'sync-refused': RETRY,
  'template-failed':
    'Check the filters of the template named in the message, run `slotbridge check`, restart, then retry.',
  unexpected: DEFECT,
  'unhandled-case': DEFECT,
};

/** Always returns advice: a code that is unknown here comes from the platform (platform API, Errors; the list may grow). */
export function adviceFor({ code, advice }: { readonly code: string; readonly advice?: string }): string {
  return advice ?? LETTER_ADVICE[code] ?? THE_PLATFORMS;
}

const THE_PLATFORMS =
  'The platform refused the request with its own code. Check the object in its dashboard. If that does not explain it, report the Request-Id to its support. Then retry.';
