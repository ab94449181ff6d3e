// The platform, Google, Redis and the hosts, in English.
import type { CodeTexts } from './code-text.ts';

/** Advice that several codes share. */
export const NEXT_EN = {
  nothing: 'Nothing to do: it ends by itself.',
  done: 'Nothing to do.',
  wait: 'Wait until it works again, then retry. The cause ends without action.',
  retry: 'Retry it. If it fails again, read its story with `slotbridge explain`.',
  defect: 'Report it as a bug in slotbridge, with the log line `object not mirrored`. Then retry.',
  rights: 'Check the rights and projects of the API key: both are fixed when a key is created. Then retry.',
  author: 'The author has the answer where the booking was written: correct it there.',
  platform: 'Make the change on the platform.',
  refused:
    'The platform refused the request with its own code. Check the object in its dashboard. If that does not explain it, report the Request-Id to its support. Then retry.',
} as const;

const { nothing, wait, retry, defect, rights } = NEXT_EN;
const NAMES =
  'Correct the name in the mapping, or write the id. `slotbridge check --live` lists the known names.';
const WRITE_ID = 'Write the id instead of the name. `slotbridge check --live` lists the ids.';
const REMOVE_LINE = 'Remove one of the two lines, or write the id of the other entry.';

export const REMOTES_EN: CodeTexts = {
  'platform-unauthenticated': [
    'The platform does not accept the API key',
    'Nothing can be read or written on the platform. Webhooks are still taken in.',
    'Put a valid key into platform.api_key and restart. If the key is right, work resumes by itself.',
  ],
  'platform-addon-required': [
    'The company has no Public API add-on',
    'The platform answers no request of this company.',
    'Enable the add-on on the platform.',
  ],
  'platform-forbidden': [
    'The API key lacks a right',
    'The platform refuses every request of one kind.',
    'The rights of a key cannot be changed: create a new key with the missing right, and put it into platform.api_key.',
  ],
  'configuration-rejected': [
    'The new YAML was not taken up',
    'The former settings are at work.',
    'Run `slotbridge check`, correct the file, then `slotbridge reload`.',
  ],
  'platform-failing': [
    'The platform does not answer',
    'The platform has answered nothing for half a minute. Nothing is lost, and work continues with its first answer.',
    "If it lasts, tell the platform's support the Request-Id. If there is no connection, check this machine's network and platform.base_url.",
  ],
  'platform-unavailable': [
    'The platform is not available',
    'The platform answered with an error of its own.',
    wait,
  ],
  'platform-timeout': [
    'The platform did not answer in time',
    'A request was given up after its time limit.',
    wait,
  ],
  'platform-unreachable': ['No connection to the platform', 'A request did not reach the platform.', wait],
  'platform-bad-answer': [
    'The answer is not from the platform',
    'Something other than the API of the platform answered.',
    'Check that platform.base_url is the address of the API itself, then retry.',
  ],
  'platform-rate-limited': [
    'The request limit of the platform is reached',
    'Requests wait until the window of the limit begins anew.',
    nothing,
  ],
  'platform-paused': [
    'Waits for the platform',
    'The platform refuses every request. One request in 15 s tests whether it works again.',
    'See the problem of the platform on the home page.',
  ],
  'platform-id-malformed': [
    'The id of the object is malformed',
    'No object of the platform can have this id.',
    defect,
  ],
  'platform-overruled': [
    'The platform had moved it meanwhile',
    'The wish of the row or event won over the newer time of the platform.',
    NEXT_EN.done,
  ],
  'endpoint-missing': [
    'No webhook endpoint has this address',
    'The platform announces no changes. They arrive by the event feed, minutes later.',
    'Run `slotbridge webhook register`, or correct platform.webhook.public_url.',
  ],
  'endpoint-disabled': [
    'The webhook endpoint is disabled',
    'It was disabled by hand, or after 72 hours of failed deliveries. Missed changes are read again.',
    'Run `slotbridge webhook enable`, or set platform.webhook.reenable.',
  ],
  'endpoint-narrow': [
    'The webhook endpoint lacks events',
    'It does not cover all event types or projects that the mirrors need. Missed changes are read again.',
    'Run `slotbridge webhook register` again, or set platform.webhook.reenable.',
  ],
  'endpoint-unseen': [
    'The platform does not show its webhook endpoints',
    'This has lasted for ten minutes, so the event feed may lack events.',
    "Wait, or ask the platform's support. Everything since the last good check is then read again.",
  ],
  'webhooks-refused': [
    'Webhooks are refused',
    'At least half of the latest signed deliveries were refused or are no events. Nothing is lost: the event feed brings them later.',
    'Run `slotbridge webhook test`. If it verifies, strangers are sending forgeries; otherwise correct the scheme or the secret.',
  ],
  'secret-file-unreadable': [
    'The file of the webhook secrets cannot be read',
    'The last secrets stay valid until a restart.',
    "Let the worker's user read the file.",
  ],
  'resource-unknown': [
    'A resource is unknown',
    'No active resource has the name that the mapping, an event or a row gives. In a mapping, the last known id stays in use.',
    NAMES,
  ],
  'branch-unknown': [
    'A branch is unknown',
    'No active branch has the name that the mapping, an event or a row gives. In a mapping, the last known id stays in use.',
    NAMES,
  ],
  'service-unknown': [
    'A service is unknown',
    'No active service has the name that the mapping, an event or a row gives. In a mapping, the last known id stays in use.',
    NAMES,
  ],
  'filter-name-unknown': [
    'A filter names something unknown',
    'A filter or a colour names a branch, service or resource that is not active. Nothing new matches that name.',
    'Correct the name: `slotbridge check --live` suggests the right one.',
  ],
  'resource-ambiguous': [
    'Several resources have that name',
    'It is not known which one is meant. In a mapping, the last known id stays in use.',
    WRITE_ID,
  ],
  'branch-ambiguous': [
    'Several branches have that name',
    'It is not known which one is meant. In a mapping, the last known id stays in use.',
    WRITE_ID,
  ],
  'service-ambiguous': [
    'Several services have that name',
    'It is not known which one is meant. In a mapping, the last known id stays in use.',
    WRITE_ID,
  ],
  'resource-mapped-twice': [
    'A resource is mapped twice',
    'A name and an id in the mapping mean the same resource. The name keeps its last meaning.',
    REMOVE_LINE,
  ],
  'branch-mapped-twice': [
    'A branch is mapped twice',
    'A name and an id in the mapping mean the same branch. The name keeps its last meaning.',
    REMOVE_LINE,
  ],
  'service-mapped-twice': [
    'A service is mapped twice',
    'A name and an id in the mapping mean the same service. The name keeps its last meaning.',
    REMOVE_LINE,
  ],
  'mapping-unresolved': [
    'A name in the mapping is unknown',
    'The platform has nothing with a name that the mapping uses.',
    'Correct the name in the mapping, restart, then retry.',
  ],
  'mapping-paused': [
    'Waits for the mapping',
    'The mapping refuses every object for now.',
    'See the problem of the mapping on the home page.',
  ],
  'google-unauthenticated': [
    'Google does not accept the credential',
    'Nothing can be read or written in Google. Nothing is lost.',
    "Check for a revoked key, google.act_as, and the machine's clock.",
  ],
  'google-client-broken': [
    'The OAuth client file of Google cannot be used',
    'The file is missing, unreadable or of another type.',
    'Create an OAuth client in the Google Cloud console, download its JSON, and name the file in the settings.',
  ],
  'google-token-dead': [
    'The sign-in to Google is revoked or has expired',
    'Google no longer accepts the sign-in, or the key of the service account. Nothing is lost.',
    'Run `slotbridge google login` again, or put a new key into the same file. It is read again without a restart.',
  ],
  'google-consent-missing': [
    'A person has not consented yet',
    'The calendars of this account wait for the consent of their owner.',
    'Run `slotbridge google invite <address> --consent`, and send the link to that person.',
  ],
  'google-consent-ended': [
    'A consent has ended',
    'The person revoked it, or Google ended it. The calendars of this account wait; nothing counts as deleted.',
    'Invite the person again: `slotbridge google invite <address> --consent`.',
  ],
  'google-consent-unreadable': [
    'A consent cannot be decrypted',
    'Its key is no longer in google.consent.keys.',
    'Add the former key as the second one, or invite the person again.',
  ],
  'google-accounts-same': [
    'Two accounts have the same key',
    'Two files of google.accounts or google.credentials hold the same key.',
    'Give one of them another key, or use one account for both.',
  ],
  'google-scope-missing': [
    'The credential lacks a scope',
    'Google refuses every request of one kind.',
    'Allow the scopes calendar.events and spreadsheets.',
  ],
  'google-api-disabled': [
    'An API of Google is not enabled',
    "The API is off in the credential's project.",
    'Enable the Calendar and Sheets APIs in the Google Cloud console.',
  ],
  'google-delegation-needed': [
    'Google requires domain-wide delegation',
    'A service account alone may not do this.',
    'Set google.act_as and allow it in the admin console.',
  ],
  'google-quota': [
    "Google's quota is spent",
    'Google refused a request because of its limit. Requests wait and continue by themselves.',
    nothing,
  ],
  'quota-spent': [
    "Google's quota is spent for now",
    'All requests of this minute are used. The others wait.',
    nothing,
  ],
  'quota-paused': [
    'Google asked for a pause',
    'Google refuses more requests for now. They wait and continue by themselves.',
    nothing,
  ],
  'google-refused': [
    'Google refuses the content',
    'Google refuses what the templates produce for the object.',
    'Change the template or the data that Google refuses (the message names the part), then retry.',
  ],
  'google-redirected': [
    'Something answers in the place of Google',
    'The address of Google answers with a redirect, which is never followed.',
    'Find the proxy that answers for Google, remove it, then retry.',
  ],
  'google-answer-too-large': [
    'An answer of Google is too large',
    'The answer is larger than 64 MiB.',
    'Reduce the rows of the tab, or archive old rows, then retry.',
  ],
  'google-unavailable': ['Google is not available', 'Google answered with an error of its own.', wait],
  'google-timeout': ['Google did not answer in time', 'A request was given up after its time limit.', wait],
  'google-unreachable': ['No connection to Google', 'A request did not reach Google.', wait],
  'google-unreadable': [
    'The answer of Google cannot be read',
    'The answer was incomplete or had an unknown form.',
    wait,
  ],
  'duplicate-id': ['The id of the event is taken', 'Google had an event with this id before.', retry],
  'full-sync-required': [
    'The list of changes has expired',
    'Google no longer knows the last position. The calendar is read in full.',
    nothing,
  ],
  'google-conflict': [
    'Google reports a conflict',
    'Something else was written there at the same moment.',
    retry,
  ],
  'google-paused': [
    'Waits for Google',
    'Google refuses every request. One request in 15 s tests whether it works again.',
    'See the problem of Google on the home page.',
  ],
  'calendar-not-shared': [
    'The calendar does not exist or is not shared',
    'The worker cannot see this calendar. Its appointments wait; all others continue.',
    'Share the calendar with the worker\'s account ("Make changes to events"), or correct its id.',
  ],
  'calendar-read-only': [
    'The worker may only read the calendar',
    'Its appointments wait; all others continue.',
    'Share the calendar with "Make changes to events".',
  ],
  'calendar-forbidden': [
    'Google forbids access to the calendar',
    'Its appointments wait; all others continue.',
    'Share the calendar, and check whether the organisation allows sharing outside.',
  ],
  'calendar-failing': [
    'The calendar answers with errors',
    'Google has failed or was too slow for half a minute. Other calendars continue.',
    "Nothing to do. If it lasts, check Google's status page.",
  ],
  'calendar-paused': [
    'Waits for the calendar',
    'The calendar refuses every request. One request in 15 s tests whether it works again.',
    'See the problem of the calendar on the home page.',
  ],
  'calendar-list-lost': [
    'The list of events broke off',
    'Google lost its position in the list of a calendar. It is read again from the start.',
    nothing,
  ],
  'zone-unknown-to-google': [
    'Google does not know a time zone',
    'Its events are written in UTC; their hours are right.',
    "Nothing, if the zone is new. Otherwise correct the branch's zone on the platform.",
  ],
  'push-refused': [
    'Google announces no changes of calendars',
    'Google sends no pings to this address, or for this calendar. It is polled instead, and Google is asked again every hour.',
    'platform.webhook.public_url must be https with a valid certificate and reachable from outside. Or set google.watch.push: false. A single calendar must be shared with the worker.',
  ],
  'not-found': ['It was not found', 'The object is not there any more.', NEXT_EN.done],
  'busy-too-many': [
    'The private calendar has too many events',
    'It has more events than blocks can handle.',
    'Shorten the horizon, or remove the calendar from blocks.',
  ],
  'redis-rights-missing': [
    'Redis does not allow a command that is needed',
    'Webhooks get 503 and are sent again. Nothing is lost.',
    'Run `slotbridge check --live`: it lists the missing rights.',
  ],
  'redis-takes-no-writes': [
    'Redis refuses writes',
    'Its memory or disk is full, or it is a replica. Webhooks get 503 and are sent again.',
    'Give it memory or disk, point redis.url to the primary, or start the replicas again.',
  ],
  'store-unavailable': [
    'Redis does not answer',
    'The state could not be read or written.',
    'Check that Redis runs and has memory and disk left, then retry.',
  ],
  'clocks-apart': [
    "A host's clock differs from that of Redis",
    'Up to two minutes apart, workers go by the clock of Redis. Above, ages and coverage are wrong by as much.',
    'Let every host follow the same time server.',
  ],
  'host-cut-off': [
    'A host is cut off from the platform or Google',
    'They have not answered this host for a minute, and answer others.',
    'Check its route, proxy and firewall, or stop its worker: the others take over.',
  ],
  forbidden: ['The platform refuses a request', 'The key may not do this to this object.', rights],
  'project-not-in-key': [
    'The key does not cover the project',
    'The platform does not show the contact. Nothing was deleted.',
    'Use an API key that covers the project, then retry. Nothing was deleted.',
  ],
  'object-not-visible': [
    'The platform does not show the appointment',
    'Appointments are never deleted, so nothing was removed.',
    'Appointments are never deleted: check that the API key covers the project of this one, then retry.',
  ],
  'object-not-readable': [
    'The object cannot be read',
    'An event named it only by its id, and the platform offers no way to read it.',
    'Check it in the dashboard. Its next event updates the row; otherwise discard it.',
  ],
  'position-refused': [
    'The platform refused a position in its feed',
    'It usually accepts it a moment later.',
    retry,
  ],
  'sync-refused': ['Google refused to list the changes', 'It usually accepts it a moment later.', retry],
  'idempotency-in-progress': [
    'The former request still runs',
    'The platform has not finished the same request yet.',
    wait,
  ],
  'idempotency-conflict': [
    'The key of the request is used already',
    'The platform knows this key with another content. The request is sent under another key.',
    nothing,
  ],
  'idempotency-key-invalid': [
    'The key of the request is malformed',
    'The platform does not accept the key that repeats a request safely.',
    defect,
  ],
  'idempotency-key-required': [
    'The request needs a key',
    'The platform requires the key that repeats a request safely.',
    defect,
  ],
  'request-not-repeatable': ['The request cannot be repeated', 'A stored request is not complete.', defect],
};
