/**
 * Every Redis key of one slotbridge. The braces put all keys into one slot, so that a script may touch any of them in Redis Cluster (Redis
 * Cluster specification, hash tags).
 */
export function keySpace(prefix: string) {
  const tag = `{${prefix}}`;
  const rowsOf = `${tag}:rows:`;
  return {
    /** The prefix of every key. */
    everything: `${tag}:`,

    /**
     * The two queues of BullMQ: the engine, not the truth.
     * @key `:bull:objects:*`, `:bull:flushes:*` BullMQ
     * @bound trimmed: BullMQ removes finished jobs, and failed ones after a day. It cuts the event stream at some 100 entries.
     */
    queues: `${tag}:bull`,

    /**
     * Names of budgets, by when they were last used. Only `status` reads it.
     * @key `:quotas` sorted set
     * @bound stands: One entry for each budget and each limited calendar. No personal data.
     */
    quotas: `${tag}:quotas`,

    /**
     * Keys whose mirrors are behind, by the time of the next attempt. This set is the truth about pending work.
     * @key `:dirty` sorted set
     * @bound stands: Pending work; an entry goes when its object is settled.
     */
    dirty: `${tag}:dirty`,

    /**
     * The keys of `:dirty`, by when they became dirty.
     * @key `:dirty-since` sorted set
     * @bound stands: Pending work; an entry goes when its object is settled.
     */
    dirtySince: `${tag}:dirty-since`,

    /**
     * Objects that automatically get a turn later, by when. They are not pending until then. They are appointments that `until` still keeps
     * out, rows that go to an archive, and outside bookings that were refused for a name.
     * @key `:later` sorted set
     * @bound stands: Turns to come; an entry goes when it is due.
     */
    later: `${tag}:later`,

    /**
     * Object key to dead letter.
     * @key `:dead` hash
     * @bound trimmed: `privacy.keep.dead_letters`.
     */
    dead: `${tag}:dead`,

    /**
     * Digest of a cause to the cause: code, mirror and place of each reason of its letters. Scripts derive this name and the next from that of `:dead`.
     * @key `:dead-causes` hash
     * @bound trimmed: With the last letter of a cause.
     */
    deadCauses: `${tag}:dead-causes`,

    /**
     * Names of the letters of one cause, by when they were written. Its size is the count of the cause.
     * @key `:dead-cause:<digest>` sorted set
     * @bound trimmed: With its letter.
     */
    deadCause: (digest: string) => `${tag}:dead-cause:${digest}`,

    /**
     * How often in a row the cells of a row did not stay as written, until it was reported. `written …` counts right after a write, `seen …`
     * counts looks at the tab. A `+` behind the number means that the row was confirmed since, so the next look counts.
     * @key `:unkept` hash, 35 days after the last
     * @bound expires: 35 days after the last.
     */
    unkept: `${tag}:unkept`,

    /**
     * What the worker could not understand, newest first, at most 1,000, each cut at 8,192 characters.
     * @key `:quarantine` list
     * @bound trimmed: `privacy.keep.quarantine`, and 1,000 entries.
     */
    quarantine: `${tag}:quarantine`,

    /**
     * Target to current problem.
     * @key `:problems` hash
     * @bound stands: What is wrong now; an entry goes when the problem is over. No personal data.
     */
    problems: `${tag}:problems`,

    /**
     * Hole id to hole.
     * @key `:holes` hash
     * @bound stands: What is wrong now; an entry goes when the hole is closed. No personal data.
     */
    holes: `${tag}:holes`,

    /**
     * Spreadsheets with waiting rows, by the time of the oldest row.
     * @key `:sheets-waiting` sorted set
     * @bound stands: Waiting rows; an entry goes when its rows are written or refused.
     */
    sheetsWaiting: `${tag}:sheets-waiting`,

    /**
     * Orders the versions of rows: the time of Redis, or one more than the last version.
     * @key `:outbox-version` counter
     * @bound stands: One number.
     */
    outboxVersion: `${tag}:outbox-version`,

    /**
     * Small facts about this installation, see below.
     * @key `:memory` hash
     * @bound stands: Facts about the installation; marks of customers in it are hashes.
     * @fields Facts in `:memory`, one field each
     * - `resource-named <resource>`: The id that a name of the mapping once meant. Before it is taken over: `learned:<mirror>/<resource>`.
     * - `sheet-tab <spreadsheet> <tab>`, `sheet-columns <spreadsheet> <tab>`, `sheet-zone <spreadsheet>`: A tab's id, the columns that the
     * mirror has seen there, and the time zone.
     * - `sheet-compacted <spreadsheet> <tab>`: When the blank rows between the rows of the tab were last moved below them.
     * - `sheet-shape <spreadsheet> <tab>`: That the tab was last seen with a Sheets table or merged cells.
     * - `sheet-zone-before <spreadsheet>`: Its former time zone, until every object with a date in it has a turn.
     * - `calendar-note <calendar>`: The known state of the note of `worker.calendar_note` in the calendar: its day, its text, and what the
     * worker last tried.
     * - `status-tab <spreadsheet>`: What the worker last wrote into the tab of `worker.status_tab`, and when.
     * - `rows-written <spreadsheet>`: When rows of it were last confirmed. Its status tab then shows the new time.
     * - `drop-downs <spreadsheet>`: When its drop-downs were last checked, and the columns that they were written for.
     * - `rows-looked-at:<mirror>`: When the rows of a mirror whose cells people may change were last compared.
     * - `rows-handed-on:<mirror>`, `cells-seen:<mirror>`, `stray-ticks:<mirror>`, `cells-gone:<mirror>`: Cells changed at that look, ticks in
     * rows without an object, and what a write overwrote unseen.
     * - `intake-read <entry>`: Up to which moment the rows of a booking sheet have been read.
     * - `intake-asked <entry>`: Rows whose authors the worker asked whether they are new bookings, by content print and marks of the
     * customer. Up to 500, or all that currently wait for an answer.
     * - `intake-spreadsheets <entry>`: The last ten spreadsheets of a booking sheet, the newest first: their ids count in a copy.
     * - `intake-tidied <entry>`: When the answers of rows that were deleted long ago were last forgotten.
     * - `intake-traced <entry>`: That rows answered before traces existed have left theirs.
     * - `intake-unticked <spreadsheet> <tab>`: `ticked` while its entry has a column `ready`. After that, prints of the rows that were not
     * ready then: they wait for a person.
     * - `intake-zone <entry>`: The time zone in which the rows of a booking sheet were read so far.
     * - `google-account <calendar>`: The account, other than the default one, through which the worker last reached the calendar.
     * - `webhook-tested`: The result of the newest test delivery, for the command that requested it.
     * - `forget-salt`: The salt with which the names of erased objects are hashed.
     * - `blocks-read <entry>`: Up to which moment all private calendars of an entry of `blocks` have been read.
     * - `block-report <resource>`: The result of the last turn of a person's blocks: how many exist, which times were refused, and what is
     * held.
     * - `class-moving:<class> <class>`: Since when the second class is being moved to the hour of the first, and the fence of that claim.
     * - `adopted:<mirror>/<calendar>`: The run of Redis in which the calendar was last searched for marked events.
     * - `whole-until`: Up to which moment this run of Redis is known to have lost nothing, the same when the run began, and when that was.
     * - `state-version`: The version of the stored form. A worker refuses a version that it does not know.
     * - `mapping-hash`: Hash of the mapping at the last start; `changing` while a worker takes up a change of it.
     * - `linked-mirrors`: The mirrors and booking entries that the links are stored under: name, resources, calendars, tabs.
     * - `endpoint-healthy-at`: When the webhook endpoint was last seen enabled and with enough subscriptions.
     * - `endpoint-updated-at`: When the webhook endpoint was last changed.
     * - `lost-leads`: The window whose leads cannot be read again.
     * - `resync`, `resync-last`: The open walk through the lists, and when the last one ended.
     * - `resync-due`: Up to which moment `platform.resync.schedule` is answered.
     * - `parked-erasures`, `parked-erasure:<contact>`: Contacts whose erasure waits for a person, because too many were deleted at once.
     * Since when, and whether a person has approved it. Removed by the turn after the approval, by the erasure, or when the
     * platform shows the contact again.
     * - `parked-rows`, `parked-edits:<mirror> <object>`, `parked-bookings:<entry> <object>`: What people typed in bulk and waits for a person:
     * since when, a hash of it, the verdict. Removed once the outcome is stored.
     * - `approved-erasures`: Written by earlier versions: contacts that they parked up to this moment may be erased.
     * - `parked-deletions`, `parked-missed`: How many contacts a walk no longer showed that wait for a person's approval, and the first 500.
     * - `parked-orphans:<place>`: What `audit --fix` or `apply` would have removed there, and when it was stopped.
     * - `replay-run`, `replay-keys <batch>`: The replay that somebody started in the console, and the objects whose turn is still to come.
     * - `approved-deletions:<calendar>`, `approved-orphans:<place>`, `approved-mails`, `approved-blocks:<entry>`: Until when a person allows
     * what is parked, and which of it.
     */
    memory: `${tag}:memory`,

    /**
     * `book`: the current alerts, and the notices that were not delivered yet.
     * @key `:alerts` hash
     * @bound stands: One book: current alerts, and at most 200 notices that could not be delivered. No personal data.
     */
    alerts: `${tag}:alerts`,

    /**
     * Unused links to the console: hash of the code to role, name and end. At most 100.
     * @key `:console-links` hash
     * @bound trimmed: At most 100 links and 500 sessions; the next one removes those that have ended. Names of staff.
     */
    consoleLinks: `${tag}:console-links`,

    /**
     * Sessions of the console: hash of the token to role, name, begin and end. At most 500.
     * @key `:console-sessions` hash
     * @bound trimmed: At most 100 links and 500 sessions; the next one removes those that have ended. Names of staff.
     */
    consoleSessions: `${tag}:console-sessions`,

    /**
     * Addresses from which somebody has signed in to the console: hash to when last. At most 1,000.
     * @key `:console-known` sorted set, 90 days
     * @bound expires: 90 days, and 1,000 entries. Hashes.
     */
    consoleKnown: `${tag}:console-known`,

    /**
     * How much one person has searched in the console: `id` of the act, `since`, `searches`, `objects`; `minute` and `in_minute`.
     * @key `:console-searches:<hash of the name>` hash, 1 hour
     * @bound expires: After an hour. Counts.
     */
    consoleSearches: (person: string) => `${tag}:console-searches:${person}`,

    /**
     * What people did in the console, oldest first, at most 4,000 entries. A finished act has two entries with one id.
     * A full log drops entries of the person and kind with the most, and a marker counts them.
     * @key `:console-acts` list, 400 days
     * @bound expires: 400 days, and 4,000 entries. What staff did, with the reasons that they gave.
     */
    consoleActs: `${tag}:console-acts`,

    /**
     * Acts of commands that no worker has logged yet, oldest first, at most 1,000.
     * @key `:unlogged-acts` list, 1 day
     * @bound expires: 1 day, and 1,000 entries. Who did what by a command, without the reason; the next worker that looks removes it.
     */
    unloggedActs: `${tag}:unlogged-acts`,

    /**
     * Salted hash of an erased object to when it was erased: nothing of it is stored again.
     * @key `:forgotten` hash
     * @bound stands: Salted hashes of erased objects: without them, a resync would write the objects again.
     */
    forgotten: `${tag}:forgotten`,

    /**
     * Salted hash of a person to the erasure that was begun: objects, terms, and what is done so far.
     * @key `:forgetting` hash
     * @bound stands: Erasures in progress; an entry goes at the end of its erasure. It holds the terms that identify the person.
     */
    forgetting: `${tag}:forgetting`,

    /**
     * A stream without one person, before it takes the stream's place.
     * @key `:stream-copy` stream, 1 hour
     * @bound expires: 1 hour, while an erasure runs.
     */
    streamCopy: `${tag}:stream-copy`,

    /**
     * Salted hash of a person to the proof of the erasure.
     * @key `:receipts` hash
     * @bound stands: Proofs of erasures. Salted hashes.
     */
    receipts: `${tag}:receipts`,

    /**
     * A test write that shows whether Redis accepts writes.
     * @key `:writable` string, 10 s
     * @bound expires: After seconds.
     */
    writable: `${tag}:writable`,

    /**
     * That the event was taken in: `key`, and the object's revision at that time. Its expiry says when.
     * @key `:inbox:<event id>` string, 35 days
     * @bound expires: 35 days: the feed can show an event again for 30.
     */
    inbox: (eventId: string) => `${tag}:inbox:${eventId}`,

    /**
     * One object, see below.
     * @key `:object:<kind>/<id>` hash, 35 days once nothing holds it
     * @bound stands: Expires 35 days after nothing holds it any more. Until then `privacy.keep` removes its content.
     * @fields Fields of an object
     * - `s`, `u`, `h`: The newest snapshot, its `updated_at` as comparable digits, its hash. `s` goes after `privacy.keep.snapshots`.
     * It is JSON, or `2` and an array without names (`src/engine/object.ts`).
     * - `d`, `y`: Desired and synced revision.
     * - `f`: The fence: the time of Redis at the last claim, or one more than the last.
     * - `t`: The revision at which a deletion was seen; 0 for none.
     * - `v`: The revision at which the order was in doubt; 0 for none. While it is set, the object is read before it is mirrored.
     * - `a`: The revision at which a person or a list asked for it; absent for none. The answer then counts whatever its `updated_at`.
     * - `p`: The project's id.
     * - `c`: Only in an appointment whose content was removed: the id of its contact, so that an erasure finds it.
     * - `w`: The last walk through the whole list that showed it; contacts only.
     * - `e`: When the oldest change that is not mirrored yet happened.
     * - `k`: The revision that a walk asked for although nothing had changed.
     * - `l:<mirror>`: The links of one mirror. A claim includes them.
     * - `o:<mirror>`: That a row of the object waits in an outbox, or was refused and is a dead letter.
     * - `q`: The waits of places that failed since the object was last settled, by mirror and place.
     * - `g:<calendar> <event>`: What a calendar showed of one of the object's events and no handler has looked at yet. A claim includes it;
     * settling removes what the claim carried.
     * - `r:<mirror> <header>`: What people wrote into a cell of the object's row, until the worker answers it. A claim includes it.
     * - `n:<mirror>`: The outcome of such a change: the answer beside the row, what was about to be sent, the last answers. Removed with the
     * content.
     */
    object: (key: string) => `${tag}:object:${key}`,

    /**
     * The events that were taken in: id, type, object, source. Kept for `worker.journal`.
     * @key `:journal` stream
     * @bound trimmed: `worker.journal`.
     */
    journal: `${tag}:journal`,

    /**
     * The newest webhooks that a secret verified, newest first: when, type and id of the event, place of the secret, outcome. For the console.
     * @key `:webhooks` list, 7 days after the last
     * @bound expires: 7 days, and 1,000 entries. Ids and codes.
     */
    webhooks: `${tag}:webhooks`,

    /**
     * Webhooks that were not taken or not verified, counted by minute and outcome.
     * @key `:webhooks-refused` list, 7 days after the last
     * @bound expires: 7 days, and 200 entries. Codes and counts.
     */
    webhooksRefused: `${tag}:webhooks-refused`,

    /**
     * Deliveries under backpressure that the webhook has answered and that are taken in a little later.
     * @key `:deliveries` stream
     * @bound stands: At most about 10,000 deliveries of at most 16,384 characters; one goes when it is taken in.
     */
    deliveries: `${tag}:deliveries`,

    /**
     * What recently happened to any object, for the console's list: number, key, entry of its history.
     * @key `:changes` stream
     * @bound trimmed: About `CHANGES_MAX` entries. Ids and codes.
     */
    changes: `${tag}:changes`,

    /**
     * What was received, done and refused for one object, oldest first, at most `HISTORY_ENTRIES_MAX`. It is for people; no code decides by
     * it.
     * @key `:history:<kind>/<id>` list, `privacy.keep.histories`
     * @bound expires: `privacy.keep.histories`.
     */
    history: (key: string) => `${tag}:history:${key}`,

    /**
     * `<mirror> <key>` to the waiting row, with its version.
     * @key `:outbox:<spreadsheet>` hash
     * @bound stands: Waiting rows; one goes when it is written or refused.
     */
    outbox: (spreadsheetId: string) => `${tag}:outbox:${spreadsheetId}`,

    /**
     * Time of a write to its rows, with hashes of their cells, until its effect was checked.
     * @key `:sent-rows:<spreadsheet>` hash, 35 days after the last
     * @bound expires: 35 days after the last; an entry goes when its write was checked.
     */
    sentRows: (spreadsheetId: string) => `${tag}:sent-rows:${spreadsheetId}`,

    /**
     * Hidden tab to the write that copies into it the cells it overwrites, in mirrors whose cells people may change: hashes of cells, by
     * object. Kept until its outcome is known.
     * @key `:over-writes:<spreadsheet>` hash, 35 days after the last
     * @bound expires: 35 days after the last; an entry goes when its write has ended.
     */
    overWrites: (spreadsheetId: string) => `${tag}:over-writes:${spreadsheetId}`,

    /**
     * Event id to the object whose link names it. The scripts that write links maintain it.
     * @key `:events-of:<calendar>` hash
     * @bound stands: Ids of events in a calendar; an entry goes with its link.
     */
    eventsOf: `${tag}:events-of:`,

    /**
     * `read <target>` and `write <target>` to when Google last answered such a call of any worker; for the console.
     * @key `:reached` hash, 35 days after the last
     * @bound expires: 35 days after the last call. Two entries for each calendar, spreadsheet and tab. No personal data.
     */
    reached: `${tag}:reached`,

    /**
     * What the worker began on the platform for one outside booking, or for the card of one phone or e-mail. Fields: generation `g`, the open
     * request `o` with its key `k`, the appointment `a`, the last five ends `e`.
     * @key `:intent:<hash of the origin>` hash, `privacy.keep.intents` after its last request
     * @bound expires: `privacy.keep.intents`, also with an open request: the appointment's marks remain.
     */
    intent: (origin: string) => `${tag}:intent:${origin}`,

    /**
     * Object key to the hash of its row as last confirmed there; `left` for a row that people deleted for good. `#` when the index includes
     * rows from before it existed.
     * @key `:rows:<mirror>/<spreadsheet>/<tab>` hash
     * @bound stands: Hashes of rows in a tab; an entry goes with its row.
     */
    rows: (place: { readonly mirror: string; readonly spreadsheetId: string; readonly tab: string }) =>
      `${rowsOf}${place.mirror}/${place.spreadsheetId}/${place.tab}`,

    /** The prefix of the same keys. */
    rowsOf,

    /**
     * Ids that the worker wrote into a booking sheet and has not yet seen in their rows. The value is the row's content print and the time.
     * @key `:row-ids-sent:<entry>` hash, 1 day after the last
     * @bound expires: 1 day after the last.
     */
    rowIdsSent: (entry: string) => `${tag}:row-ids-sent:${entry}`,

    /**
     * Ids of rows that left this trace: a content print, or the mark of a customer.
     * @key `:row-trace:<entry>:<trace>` set, 35 days after the last look or the appointment
     * @bound expires: 35 days after the last look or the appointment. Marks are hashes.
     */
    rowTrace: (entry: string, trace: string) => `${tag}:row-trace:${entry}:${trace}`,

    /**
     * Ids of the appointments that a filter judged by this contact, by when, for 400 days. They get another turn when the contact changes.
     * @key `:customer:<contact>` sorted set, 400 days after the last
     * @bound expires: 400 days after the last appointment that was judged by the contact; the same holds for each id.
     */
    customer: (contactId: string) => `${tag}:customer:${contactId}`,

    /**
     * Appointment id to its event in the feed: texts, start, end, sequence.
     * @key `:feed:<feed>` hash, 35 days after no YAML names the feed
     * @bound expires: 35 days after no YAML names the feed. An entry goes when its appointment leaves the feed; `where.since` bounds the age
     * of entries.
     */
    feedEvents: (feed: string) => `${tag}:feed:${feed}`,

    /**
     * Feed to the SHA-256 of the secret in its address.
     * @key `:feed-links` hash
     * @bound stands: One hash of a secret for each feed. No personal data.
     */
    feedLinks: `${tag}:feed-links`,

    /**
     * How far a calendar has been read: `sync` token, `open` sync, `covered`, `shown` (the same by Google's clock),
     * `proved`, `listed`, `heard` (pings). How active it is: `changed`, `pinged`, `pings`, `missed`.
     * @key `:calendar:<calendar>` hash
     * @bound stands: One entry for each calendar and channel. No personal data.
     */
    calendar: (calendarId: string) => `${tag}:calendar:${calendarId}`,

    /**
     * Objects of a CalDAV calendar: address to version and ids, id to address, and the sync between its pages. Also ids that a calendar made
     * anew lacks, versions of a restored one, and which write of the worker was the last.
     * @key `:caldav:<calendar>` hash, 35 days after the last read
     * @bound expires: 35 days after the last read.
     */
    caldav: (calendarId: string) => `${tag}:caldav:${calendarId}`,

    /**
     * Which linked events a running full list has shown.
     * @key `:calendar-shown:<time>:<calendar>` set, 1 day
     * @bound expires: 1 day.
     */
    calendarShown: (list: { readonly calendarId: string; readonly startedAtMs: number }) =>
      `${tag}:calendar-shown:${list.startedAtMs}:${list.calendarId}`,

    /**
     * Channel id to channel: calendar, token, address, times, and Google's id of it once known.
     * @key `:channels` hash
     * @bound stands: One entry for each calendar and channel. No personal data.
     */
    channels: `${tag}:channels`,

    /**
     * `covered`, `proved`, `anchors`, `anchorAt`, the open `walk`.
     * @key `:coverage:feed` hash
     * @bound stands: How far the feed has been read. No personal data.
     */
    coverage: (source: string) => `${tag}:coverage:${source}`,

    /**
     * The worker processes, each with its version and what proves its death, by when they last registered; forgotten after a day.
     * @key `:processes` sorted set
     * @bound trimmed: One entry for each process, forgotten after a day.
     */
    processes: `${tag}:processes`,

    /**
     * What all workers wrote on one day (days since 1970): minute since 1970 to `<writes> <slowest lag in seconds>`.
     * @key `:pace:<day>` hash, 7 days after the last write
     * @bound expires: 7 days. Counts only, at most 1,440.
     */
    pace: (day: number) => `${tag}:pace:${day}`,

    /**
     * What all workers wrote to each mirror in one span (hour, day, month): `<step> <mirror>` to `<writes> <failures> <slowest lag in seconds>`.
     * @key `:mirror-pace:<span>:<hash>` hash, 3 hours, 3 days or 93 days after the last write
     * @bound expires: 93 days at most. Counts only, at most 248 for each mirror.
     */
    mirrorPace: (span: string, hash: number) => `${tag}:mirror-pace:${span}:${hash}`,

    /**
     * Lags of the newest 2,000 writes of all workers, in seconds, the newest first.
     * @key `:lags` list, 7 days after the last
     * @bound expires: 7 days. Counts only.
     */
    lags: `${tag}:lags`,

    /**
     * What each worker process last said about its host: the difference of its clock, and how long the remote sides have not answered it.
     * @key `:hosts` hash, 1 day after the last
     * @bound expires: 1 day. An entry goes 2 minutes after its process last reported.
     */
    hosts: `${tag}:hosts`,

    /**
     * Names of the leases that a process holds.
     * @key `:leases-of:<process>` set, 1 day after the last
     * @bound expires: 1 day.
     */
    leasesOf: (processId: string) => `${tag}:leases-of:${processId}`,

    /**
     * Who has an exclusive turn now, such as `feed-walk`, `resync`, `rebuild`, `alerts`, `retention`, `forget`, `calendar:<calendar>`,
     * `calendar-channels`, `flush:<spreadsheet>`, `intake:<spreadsheet>`, `customer:<hash>`, `<object>:lock`.
     * @key `:lease:<name>` string, 6 to 15 s
     * @bound expires: After seconds.
     */
    lease: (name: string) => `${tag}:lease:${name}`,

    /**
     * That somebody has just tried whether the target works again.
     * @key `:probe:<target>` string, 15 s
     * @bound expires: After seconds.
     */
    probe: (target: string) => `${tag}:probe:${target}`,

    /**
     * The admitted rate of a budget, or of one calendar that Google limits separately. Fields: calls of the last minute, tokens, refusals in a
     * row, a stop.
     * @key `:rate:<budget>`, `:rate:<budget> <target>` hash, 1 hour after the last call or stop
     * @bound expires: 1 hour after the last call.
     */
    rate: (name: string) => `${tag}:rate:${name}`,

    /**
     * Objects, calendars to read and spreadsheets that wait for the budget, by when they come back. Only `status` reads it.
     * @key `:quota-waits:<budget>`, `:quota-waits:<budget> <target>` sorted set
     * @bound expires: An hour after the last.
     */
    quotaWaits: (name: string) => `${tag}:quota-waits:${name}`,

    /**
     * Until when no process may call the platform.
     * @key `:pause:platform` string
     * @bound expires: When the pause is over.
     */
    pause: (name: string) => `${tag}:pause:${name}`,

    /**
     * Account of `google.accounts` to the refresh token and address of the person who gave consent, encrypted (AES-256-GCM), and when. It
     * outlives its account for a while, so that a slip in the YAML costs no consent.
     * @key `:google-consents` hash
     * @bound trimmed: `privacy.keep.snapshots` after its account left the YAML. One encrypted token for each account of the YAML, and of those that left it.
     */
    googleConsents: `${tag}:google-consents`,

    /**
     * A link that was sent to a person: account, address and PKCE verifier, encrypted. It works once.
     * @key `:google-consent-link:<hash of the state>` string, 3 days
     * @bound expires: 3 days. Encrypted.
     */
    googleConsentLink: (hash: string) => `${tag}:google-consent-link:${hash}`,

    /**
     * The trace of a change on its way to a turn or a flush (W3C `traceparent`), only while traces are exported.
     * @key `:trace:<kind>/<id>`, `:trace:row/<mirror>/<key>` string, 1 day
     * @bound expires: 1 day. Ids of traces.
     */
    trace: (name: string) => `${tag}:trace:${name}`,

    /**
     * What happened recently, by when it was first counted: `deleted:<calendar>`, `deleting:<calendar>` (waiting deletions), `edited:<key>`,
     * `invited:<hash of an address>`, `mailed`, `erased-contacts` (salted hashes). Expires one window later.
     * @key `:tally:<name>` sorted set
     * @bound expires: One window after the last.
     */
    tally: (name: string) => `${tag}:tally:${name}`,
  };
}

export type KeySpace = ReturnType<typeof keySpace>;

/** The field of a waiting row in its spreadsheet's outbox. */
export function rowField({ mirror, key }: { readonly mirror: string; readonly key: string }): string {
  return `${mirror} ${key}`;
}

/** The spelling of a calendar id that the YAML uses. */
export type Spelling = (calendarId: string) => string;

/**
 * Google ignores the case of calendar ids. A link that was written before an edit of the YAML may spell its calendar differently. It would
 * pass for an event in another calendar, and the worker would remove the only one.
 */
export function spellingOf(calendarIds: Iterable<string>): Spelling {
  const spelled = new Map([...calendarIds].map((calendarId) => [calendarId.toLowerCase(), calendarId]));
  return (calendarId) => spelled.get(calendarId.toLowerCase()) ?? calendarId;
}
