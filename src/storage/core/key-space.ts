/**
 * Every Redis key of one slotbridge. The braces put them all into one slot, so that a script may touch any of them in Redis
 * Cluster (Redis Cluster specification, hash tags).
 */
export class KeySpace {
  readonly #tag: string;

  constructor(prefix: string) {
    this.#tag = `{${prefix}}`;
  }

  /** The beginning of every key. */
  get everything(): string {
    return `${this.#tag}:`;
  }

  /** Prefix for BullMQ, which adds its own queue names. */
  get queues(): string {
    return `${this.#tag}:bull`;
  }

  /** Zset of the names of budgets, scored by when they were last used, epoch ms. */
  get quotas(): string {
    return `${this.#tag}:quotas`;
  }

  /** Zset of keys with `desired_rev > synced_rev`, scored by next attempt time, epoch ms. */
  get dirty(): string {
    return `${this.#tag}:dirty`;
  }

  /** Zset of the same keys, scored by the time since when they are dirty, epoch ms. */
  get dirtySince(): string {
    return `${this.#tag}:dirty-since`;
  }

  /** Zset of keys that have a turn by themselves, scored by when, epoch ms. None of them need be dirty until then. */
  get later(): string {
    return `${this.#tag}:later`;
  }

  /** Hash of key to dead letter. */
  get dead(): string {
    return `${this.#tag}:dead`;
  }

  /** Hash: how often in a row the cells of a row did not stay as they were written. */
  get unkept(): string {
    return `${this.#tag}:unkept`;
  }

  /** List of quarantined bodies, newest first. */
  get quarantine(): string {
    return `${this.#tag}:quarantine`;
  }

  /** Hash of target to problem. */
  get problems(): string {
    return `${this.#tag}:problems`;
  }

  /** Hash of hole id to hole. */
  get holes(): string {
    return `${this.#tag}:holes`;
  }

  /** Zset of spreadsheets with rows waiting, scored by the time of the oldest row. */
  get sheetsWaiting(): string {
    return `${this.#tag}:sheets-waiting`;
  }

  /** Counter that orders the versions of outbox rows. */
  get outboxVersion(): string {
    return `${this.#tag}:outbox-version`;
  }

  /** Hash of small facts about this installation: learned names, the mapping's hash, the endpoint's id. */
  get memory(): string {
    return `${this.#tag}:memory`;
  }

  /** Hash: what the alerts remember. */
  get alerts(): string {
    return `${this.#tag}:alerts`;
  }

  /** Hash of the hash of a code to whom its link lets in. */
  get consoleLinks(): string {
    return `${this.#tag}:console-links`;
  }

  /** Hash of the hash of a token to its session. */
  get consoleSessions(): string {
    return `${this.#tag}:console-sessions`;
  }

  /** List of what people did in the console, oldest first. */
  get consoleActs(): string {
    return `${this.#tag}:console-acts`;
  }

  /** Hash of the salted hash of an object to when it was forgotten, epoch ms: nothing of it is stored again. */
  get forgotten(): string {
    return `${this.#tag}:forgotten`;
  }

  /** Hash of the salted hash of a person to the erasure that was begun. */
  get forgetting(): string {
    return `${this.#tag}:forgetting`;
  }

  /** Hash of the salted hash of a person to the proof of the erasure. */
  get receipts(): string {
    return `${this.#tag}:receipts`;
  }

  /** Gone in a moment: written to see whether it can be. */
  get writable(): string {
    return `${this.#tag}:writable`;
  }

  inbox(eventId: string): string {
    return `${this.#tag}:inbox:${eventId}`;
  }

  object(key: string): string {
    return `${this.#tag}:object:${key}`;
  }

  /** Stream of the events that were taken in. */
  get journal(): string {
    return `${this.#tag}:journal`;
  }

  /** Stream of what happened to any object lately. */
  get changes(): string {
    return `${this.#tag}:changes`;
  }

  /** List of what happened to one object, oldest first. */
  history(key: string): string {
    return `${this.#tag}:history:${key}`;
  }

  /** Hash of `mirror key` to waiting row. */
  outbox(spreadsheetId: string): string {
    return `${this.#tag}:outbox:${spreadsheetId}`;
  }

  /** Hash of the time of a write to the rows that it adds, until its end is known. */
  sentRows(spreadsheetId: string): string {
    return `${this.#tag}:sent-rows:${spreadsheetId}`;
  }

  /** Hash of a hidden tab's id to the write that copies into it what it goes over, until its end is known. */
  overWrites(spreadsheetId: string): string {
    return `${this.#tag}:over-writes:${spreadsheetId}`;
  }

  /** Beginning of the hashes of event id to object key, one per calendar. */
  get eventsOf(): string {
    return `${this.#tag}:events-of:`;
  }

  /** Hash of what was begun on the platform for one origin, and how it ended. */
  intent(origin: string): string {
    return `${this.#tag}:intent:${origin}`;
  }

  /** Hash of object key to the hash of the row as it was last confirmed in this tab. */
  rows(place: { readonly mirror: string; readonly spreadsheetId: string; readonly tab: string }): string {
    return `${this.rowsOf}${place.mirror}/${place.spreadsheetId}/${place.tab}`;
  }

  /** Beginning of the same. */
  get rowsOf(): string {
    return `${this.#tag}:rows:`;
  }

  /** Hash of row ids that were sent to the rows of an entry of `bookings`, to the print of the row and when. */
  rowIdsSent(entry: string): string {
    return `${this.#tag}:row-ids-sent:${entry}`;
  }

  /** Set of the ids of rows that have left this trace: what they said, or whom they name. */
  rowTrace(entry: string, trace: string): string {
    return `${this.#tag}:row-trace:${entry}:${trace}`;
  }

  /** Set of the ids of appointments that a filter has judged by this contact. */
  customer(contactId: string): string {
    return `${this.#tag}:customer:${contactId}`;
  }

  /** Hash of appointment id to its event in a feed. */
  feedEvents(feed: string): string {
    return `${this.#tag}:feed:${feed}`;
  }

  /** Hash of feed to the hash of the secret in its address. */
  get feedLinks(): string {
    return `${this.#tag}:feed-links`;
  }

  /** Hash of one calendar's cursor. */
  calendar(calendarId: string): string {
    return `${this.#tag}:calendar:${calendarId}`;
  }

  /** Set of the linked events that a full list of a calendar, begun at that time, has shown so far. */
  calendarShown(list: { readonly calendarId: string; readonly startedAtMs: number }): string {
    return `${this.#tag}:calendar-shown:${list.startedAtMs}:${list.calendarId}`;
  }

  /** Hash of channel id to channel. */
  get channels(): string {
    return `${this.#tag}:channels`;
  }

  coverage(source: string): string {
    return `${this.#tag}:coverage:${source}`;
  }

  /** Zset of the processes that work here, scored by when they last said so, epoch ms. */
  get processes(): string {
    return `${this.#tag}:processes`;
  }

  /** Set of the names of leases that a process took and has not given back. */
  leasesOf(processId: string): string {
    return `${this.#tag}:leases-of:${processId}`;
  }

  lease(name: string): string {
    return `${this.#tag}:lease:${name}`;
  }

  probe(target: string): string {
    return `${this.#tag}:probe:${target}`;
  }

  /** Hash: the admitted rate of a budget, or of one target of it, and what it was learned from. */
  rate(name: string): string {
    return `${this.#tag}:rate:${name}`;
  }

  /** Zset of objects and spreadsheets that wait for a budget, scored by when they come back, epoch ms. */
  quotaWaits(name: string): string {
    return `${this.#tag}:quota-waits:${name}`;
  }

  pause(name: string): string {
    return `${this.#tag}:pause:${name}`;
  }

  /** Hash of account to what a person's consent is worth, encrypted. */
  get googleConsents(): string {
    return `${this.#tag}:google-consents`;
  }

  /** A link for a person who is to agree, by the hash of its state; encrypted, expires. */
  googleConsentLink(hash: string): string {
    return `${this.#tag}:google-consent-link:${hash}`;
  }

  /** Sorted set of what happened lately, by the time it was first told of. */
  tally(name: string): string {
    return `${this.#tag}:tally:${name}`;
  }
}
