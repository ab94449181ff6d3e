// Takes a claim with changed cells, decides about each, carries it to the platform where allowed, and stores the answer for its row. The
// mirrors then write the row as the platform has it. A death at any step loses nothing. The change stays stored until its answer is, and
// each request is stored before it leaves.

import type {
  Carried,
  CarriedCell,
  EditCarrier,
  EndedRowWish,
  RowEditDecision,
  RowEditRules,
  RowVerdict,
} from '../engine/carriers.ts';
import { editedAppointment } from '../engine/decide-edit.ts';
import type { EditGuard, HeldObject, HeldRows, HoldVerdict } from '../engine/edit-guard.ts';
import { isFenced, RetryableError, TerminalError, WorkerError } from '../engine/errors.ts';
import type { History } from '../engine/history.ts';
import { contentHash, type EntityKey, formatKey, type Snapshot, visibleState } from '../engine/object.ts';
import type { CancelWish, MoveWish, Refusal, Verdict, Wish } from '../engine/outside-booking.ts';
import type { ContactWriter, PlatformReader } from '../engine/platform.ts';
import {
  EDITS_PER_HOUR,
  isAskedAbout,
  type RowEdit,
  type RowNote,
  type RowRefusal,
  type SentEdit,
  type SheetCarry,
} from '../engine/row-edit.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import type { BookingSubmitter } from '../engine/submitter.ts';
import type { Claim } from '../engine/work.ts';
import type { WorkStore } from '../engine/work-store.ts';
import { quoted } from './cells.ts';
import { decideAppointmentEdit, hashOfEdit, isAppointmentAsSent } from './decide-appointment-cell.ts';
import { contactHash, decideRowEdit, isContactAsSent, isOfContact } from './decide-cell.ts';
import { cellHash } from './normal-form.ts';
import type { RowEdits } from './stores.ts';

export interface RowEditCarrierParts {
  /** By mirror. Edits for other mirrors come from an earlier mapping. */
  readonly mirrors: ReadonlyMap<string, SheetCarry>;
  readonly rules: RowEditRules;
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly work: Pick<WorkStore, 'refresh'>;
  readonly edits: Pick<RowEdits, 'keep'>;
  readonly holds: Pick<HeldRows, 'judge' | 'release'>;
  readonly history: Pick<History, 'note'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Answers remembered for one row. */
const ANSWERED_MAX = 20;
export function createRowEditCarrier(parts: RowEditCarrierParts): EditCarrier {
  return {
    async carry(claim) {
      if (mirrorsOf(claim).size === 0) return { claim, failures: [] };
      return new Turn(parts, claim).run();
    },
  };
}

/** Mirrors with changes, also those that wait for a person, or with a request begun, even if users have taken their change back since. */
function mirrorsOf({ rowEdits = [], rowNotes = {} }: Claim): ReadonlySet<string> {
  const isOpen = ({ sent, held = [] }: RowNote) => held.length > 0 || sent.length > 0;
  return new Set([
    ...rowEdits.map(({ mirror }) => mirror),
    ...Object.entries(rowNotes).flatMap(([mirror, note]) => (isOpen(note) ? [mirror] : [])),
  ]);
}

/** Hash of all fields that users may change in a row. An answer stays beside the row until one of them changes. */
export function carriedHash(kind: string, snapshot: Snapshot): string {
  return kind === 'appointment' ? contentHash(visibleState(snapshot)) : contactHash(snapshot);
}

class Turn {
  readonly #parts: RowEditCarrierParts;
  #claim: Claim;
  #object: Snapshot | undefined;

  constructor(parts: RowEditCarrierParts, claim: Claim) {
    this.#parts = parts;
    this.#claim = claim;
  }

  async run(): Promise<Carried> {
    const failures: { mirror: string; error: WorkerError }[] = [];
    for (const mirror of mirrorsOf(this.#claim)) {
      try {
        await this.#answer(mirror);
      } catch (thrown) {
        if (!(thrown instanceof WorkerError) || isFenced(thrown)) throw thrown;
        failures.push({ mirror, error: thrown });
      }
    }
    return { claim: this.#claim, failures };
  }

  /**
   * Call before each mirror, because the next mirror must know what the previous one carried. A change that is only restored needs no read.
   */
  async #read(edits: readonly RowEdit[], sent: readonly SentEdit[]): Promise<void> {
    const { key, snapshot, deleted } = this.#claim;
    const isAsked =
      !deleted && (sent.length > 0 || edits.some(({ doubt }) => doubt === undefined || isAskedAbout(doubt)));
    this.#object = isAsked ? await this.#parts.reader.get(key) : deleted ? undefined : snapshot;
    if (isAsked && this.#object !== undefined) await this.#refresh(this.#object);
  }

  async #refresh(found: Snapshot): Promise<void> {
    this.#claim = await this.#parts.work.refresh(this.#claim, { found });
  }

  async #answer(mirror: string): Promise<void> {
    const carry = this.#parts.mirrors.get(mirror);
    const headers = carry?.columns.map(({ header }) => header) ?? [];
    const typed = (this.#claim.rowEdits ?? []).filter((edit) => edit.mirror === mirror);
    const { sent, held = [] } = this.#note(mirror);
    // Answer in the order of the columns.
    const edits = this.#withHeld(typed, { held, carry }).sort(
      (a, b) => headers.indexOf(a.header) - headers.indexOf(b.header),
    );
    const hold = carry === undefined ? undefined : this.#holdOf(mirror, { carry, edits });
    const isCarried = carry !== undefined && !this.#claim.deleted;
    // News of the object change nothing about what waits for a person.
    const isIdle = isCarried && typed.length === 0 && sent.length === 0;
    if (isIdle && (await hold?.judge())?.verdict === 'wait') return;
    const ended = sent.length === 0 ? undefined : await this.#parts.rules.finish?.(this.#claim.key);
    await this.#read(edits, sent);
    const outcomes: Outcome[] = [];
    if (isCarried) {
      for (const edit of edits) {
        const hash = this.#parts.rules.hashOf(edit, carry);
        outcomes.push({ edit, hash, ...(await this.#bring(edit, carry, { ended, hold })) });
      }
      outcomes.push(...this.#takenBack(mirror, { carry, edits, ended }));
    }
    const before = this.#note(mirror);
    const note =
      carry === undefined
        ? { ...withoutHeld(before), sent: [] }
        : noteAfter(before, outcomes, { carry, claim: this.#claim });
    if (ended === undefined) await this.#withdraw(sent.filter((each) => !note.sent.includes(each)));
    for (const each of sent) {
      if (note.sent.some(({ header }) => header === each.header)) continue;
      const isDone = outcomes.some(({ edit, isDone: is }) => is && edit.header === each.header);
      await this.#parts.rules.ended?.(this.#claim.key, each, { mirror, isDone });
    }
    await this.#keep(mirror, note, typed);
    if (note.held === undefined && (held.length > 0 || hold?.isParked() === true))
      await this.#parts.holds.release(this.#heldAs(mirror));
    this.#tell(
      mirror,
      outcomes.filter(({ edit, decision }) => decision.type !== 'wait' || !held.includes(edit)),
    );
  }

  /** Another change of a cell replaces the one that waits. The same one, seen in the tab and then in a before-image, does not. */
  #withHeld(
    typed: readonly RowEdit[],
    { held, carry }: { readonly held: readonly RowEdit[]; readonly carry: SheetCarry | undefined },
  ): RowEdit[] {
    if (carry === undefined) return [...typed];
    const hash = (edit: RowEdit) => this.#parts.rules.hashOf(edit, carry);
    const isSame = (edit: RowEdit, other: RowEdit) =>
      edit.header === other.header && edit.as !== '' && edit.as === other.as && hash(edit) === hash(other);
    const fresh = typed.filter((edit) => !held.some((other) => isSame(edit, other)));
    return [...held.filter(({ header }) => !fresh.some((edit) => edit.header === header)), ...fresh];
  }

  /** Asks at most once a turn: the verdict is about all changes of the row together. */
  #holdOf(
    mirror: string,
    { carry, edits }: { readonly carry: SheetCarry; readonly edits: readonly RowEdit[] },
  ): Hold {
    const { holds, rules } = this.#parts;
    const of = contentHash(edits.map((edit) => [edit.header, rules.hashOf(edit, carry)]));
    const isHeld = this.#note(mirror).held !== undefined;
    const { editsPerHour: perHour = EDITS_PER_HOUR } = carry;
    let judged: HoldVerdict | undefined;
    return {
      judge: async () => {
        judged ??= await holds.judge(this.#heldAs(mirror), { of, isHeld, perHour });
        return judged;
      },
      isParked: () => judged?.isParked === true,
    };
  }

  #heldAs(mirror: string): HeldObject {
    return { kind: 'edits', place: mirror, key: formatKey(this.#claim.key) };
  }

  /** Withdraws requests of an earlier turn whose change was answered in another way, or taken back. */
  async #withdraw(begun: readonly SentEdit[]): Promise<void> {
    if (begun.length === 0) return;
    await this.#parts.rules.withdraw?.(
      this.#claim.key,
      begun.map(({ startsAt = 'cancel' }) => startsAt),
    );
  }

  async #bring(
    edit: RowEdit,
    carry: SheetCarry,
    { ended, hold }: { readonly ended: EndedRowWish | undefined; readonly hold: Hold | undefined },
  ): Promise<Result> {
    const { rules, clock } = this.#parts;
    const note = this.#note(edit.mirror);
    const hash = rules.hashOf(edit, carry);
    const wasSent = note.sent.some((each) => each.header === edit.header && each.hash === hash);
    if (wasSent && isRefused(ended, edit)) return refused(ended);
    const judgedEdit = wasSent ? edit : unlessForgotten(edit, this.#object);
    const decision = rules.decide({
      edit: judgedEdit,
      carry,
      object: this.#object,
      note,
      nowMs: clock.now(),
    });
    if (decision.type !== 'carry') return { decision, isDone: decision.type === 'agreed' && decision.isOurs };
    // Ticks have a guard of their own. What left before a death was judged before it left.
    const judged = wasSent || decision.field === 'cancel' ? undefined : await hold?.judge();
    if (judged?.verdict === 'wait') return { decision: { type: 'wait' }, isDone: false };
    if (judged?.verdict === 'declined') return refused({ code: 'mass-edit-declined' });
    const { header, startsAt } = edit;
    // First: the row must know an open request as its own as long as its effect may appear.
    await this.#withdraw(note.sent.filter((each) => each.header !== header || each.hash !== hash));
    const sent = [
      { header, hash, over: decision.over, ...(startsAt !== undefined && { startsAt }) },
      ...note.sent.filter((each) => each.header !== header),
    ];
    await this.#keep(edit.mirror, { ...note, sent }, []);
    const verdict = await rules.carry({ claim: this.#claim, edit, carry, decision, object: this.#object });
    if ('code' in verdict) return refused(verdict);
    this.#object = verdict.object;
    await this.#refresh(verdict.object);
    return { decision, isDone: true };
  }

  /** Requests sent before users took their change back: if the platform carried one out, the row says so. None is sent again. */
  #takenBack(
    mirror: string,
    {
      carry,
      edits,
      ended,
    }: { carry: SheetCarry; edits: readonly RowEdit[]; ended: EndedRowWish | undefined },
  ): readonly Outcome[] {
    const { rules } = this.#parts;
    const gone = this.#note(mirror).sent.filter(
      ({ header }) => !edits.some((edit) => edit.header === header),
    );
    return gone.map((sent): Outcome => {
      const about = { edit: editOf(mirror, sent), hash: sent.hash };
      if (isRefused(ended, sent)) return { ...about, ...refused(ended) };
      const isDone = this.#object !== undefined && rules.isDone(sent, carry, this.#object);
      return { ...about, decision: isDone ? { type: 'agreed', isOurs: true } : { type: 'nothing' }, isDone };
    });
  }

  #note(mirror: string): RowNote {
    return this.#claim.rowNotes?.[mirror] ?? NO_NOTE;
  }

  async #keep(mirror: string, note: RowNote, answered: readonly RowEdit[]): Promise<void> {
    await this.#parts.edits.keep(this.#claim, mirror, { note, answered });
    const { rowEdits = [], rowNotes = {} } = this.#claim;
    this.#claim = {
      ...this.#claim,
      rowEdits: rowEdits.filter((edit) => !answered.includes(edit)),
      rowNotes: { ...rowNotes, [mirror]: note },
    };
  }

  #tell(mirror: string, outcomes: readonly Outcome[]): void {
    const { history, clock, log } = this.#parts;
    const key = formatKey(this.#claim.key);
    for (const { decision, isDone } of outcomes) {
      const code = isDone ? 'carried' : codeOf(decision);
      if (code === undefined) continue;
      log.info({ key, mirror, code }, 'a changed cell was answered');
      const rule = `mirrors.${mirror}.sheet.edited`;
      history.note(key, { what: 'acted', atMs: clock.now(), by: 'row-edit', code, rule, ids: { mirror } });
    }
  }
}

const NO_NOTE: RowNote = { done: [], refused: [], of: '', answered: [], sent: [] };

interface Result {
  readonly decision: RowEditDecision;
  /** The platform has the value because the worker sent it. */
  readonly isDone: boolean;
  /** The platform's refusal in words for users. */
  readonly said?: string;
}

interface Hold {
  judge(): Promise<HoldVerdict>;
  /** True once `judge` has met a fact about the row. */
  isParked(): boolean;
}

interface Outcome extends Result {
  readonly edit: RowEdit;
  /** Hash of what people wrote. */
  readonly hash: string;
}

/** The object has changed in a time that Redis forgot, so the worker may have written the cell itself. */
function unlessForgotten(edit: RowEdit, object: Snapshot | undefined): RowEdit {
  const { doubt, forgottenMs } = edit;
  if (doubt !== undefined || forgottenMs === undefined || object === undefined) return edit;
  const updatedMs = Date.parse(String(object['updated_at']));
  return updatedMs < forgottenMs ? edit : { ...edit, doubt: 'renewed' };
}

function codeOf(decision: RowEditDecision): string | undefined {
  if (decision.type === 'wait') return 'mass-edit';
  return decision.type === 'refuse' ? decision.code : undefined;
}

function withoutHeld({ held: _, ...note }: RowNote): RowNote {
  return note;
}

function isRefused(
  ended: EndedRowWish | undefined,
  { startsAt = 'cancel' }: Pick<SentEdit, 'startsAt'>,
): ended is EndedRowWish & { readonly code: RowRefusal } {
  return ended !== undefined && 'code' in ended && ended.asked === startsAt;
}

function refused({ code, said }: { readonly code: RowRefusal; readonly said?: string }): Result {
  return { decision: { type: 'refuse', code }, isDone: false, ...(said !== undefined && { said }) };
}

function editOf(mirror: string, { header, startsAt }: SentEdit): RowEdit {
  const asked = startsAt === undefined ? { text: 'true' } : { text: '', startsAt };
  return { mirror, header, ...asked, as: '', sinceMs: 0, seenAtMs: 0 };
}

/** A note stays until another replaces it. */
function noteAfter(
  before: RowNote,
  outcomes: readonly Outcome[],
  { carry, claim }: { readonly carry: SheetCarry; readonly claim: Claim },
): RowNote {
  const held = outcomes.flatMap(({ edit, decision }) => (decision.type === 'wait' ? [edit] : []));
  const known = outcomes.filter(
    ({ edit, decision }) =>
      decision.type !== 'wait' && carry.columns.some(({ header }) => header === edit.header),
  );
  const answered = known.map(({ edit, hash, decision }) => {
    const isKnown = decision.type === 'carry' || decision.type === 'agreed';
    return { header: edit.header, as: edit.as, hash, isKnown };
  });
  const headers = new Set(answered.map(({ header }) => header));
  const rest = withoutHeld(before);
  const kept = {
    ...(held.length > 0 && { held }),
    answered: [...answered, ...before.answered].slice(0, ANSWERED_MAX),
    sent: before.sent.filter(({ header }) => !headers.has(header)),
  };
  const done = outcomes.flatMap(({ edit, isDone }) => (isDone ? [edit.header] : []));
  const refusals = outcomes.flatMap((outcome) =>
    outcome.decision.type === 'refuse' ? [refusalOf(outcome, outcome.decision.code)] : [],
  );
  if (done.length === 0 && refusals.length === 0) return { ...rest, ...kept };
  const { key, snapshot } = claim;
  const of = snapshot === undefined ? '' : carriedHash(key.kind, snapshot);
  return { ...kept, done, refused: refusals, of };
}

/** Refusals that quote the rejected text, so that users need not remember it. */
const QUOTED: ReadonlySet<string> = new Set<RowRefusal>([
  ...([
    'unreadable',
    'changed-meanwhile',
    'refused',
    'no-start',
    'past',
    'again',
    'displaced',
    'former',
    'older',
    'renewed',
    'mass-edit-declined',
  ] as const),
]);

function refusalOf({ edit: { header, text }, said }: Outcome, code: RowRefusal): RowNote['refused'][number] {
  const isQuoted = QUOTED.has(code) && text !== '' && text !== 'true';
  return {
    ...{ header, code },
    ...(isQuoted && { wrote: quoted(text) }),
    ...(said !== undefined && { said }),
  };
}

// Carries what the office typed or ticked in an appointment's row, through the submitter and guards of calendar staff edits. Each
// appointment has one request at a time, stored before it leaves. A request is never repeated before the appointment was read.

interface AppointmentRulesParts {
  readonly submitter: Pick<BookingSubmitter, 'submit' | 'finish' | 'withdraw'>;
  readonly guard: Pick<EditGuard, 'assertNoMassTicking' | 'assertNoLoop' | 'assertMayMail' | 'tickEnded'>;
  /** Number of rows in a mirror's tab whose appointments are still to come. */
  readonly upcoming: (mirror: string) => Promise<number>;
  /** The platform's refusal, worded for people. */
  readonly refusalText: (refusal: Refusal) => string;
}

export function createAppointmentRules(parts: AppointmentRulesParts): RowEditRules {
  const { submitter, refusalText } = parts;
  const toVerdict = (verdict: Verdict): RowVerdict =>
    verdict.outcome === 'done'
      ? { object: verdict.appointment }
      : { code: 'refused', said: refusalText(verdict.refusal) };
  return {
    hashOf: hashOfEdit,
    decide: decideAppointmentEdit,
    isDone: isAppointmentAsSent,
    async carry(asked) {
      await assertIsNoAccident(parts, asked);
      const { claim, object } = asked;
      const origin = formatKey(claim.key);
      const judged = object && editedAppointment(object);
      const verdict = await submitter.submit(origin, wishOf(asked), { claim, judged });
      if (verdict.earlier === undefined) return toVerdict(verdict);
      // A request begun from a calendar came first. The appointment may no longer be the one by which the wish was judged.
      if (verdict.outcome === 'done') return { code: 'changed-meanwhile' };
      const own = await submitter.submit(origin, wishOf(asked), { claim });
      if (own.earlier === undefined) return toVerdict(own);
      throw new RetryableError('intent-contended', 'another request for this appointment came first');
    },
    async finish(key: EntityKey) {
      const ended = await submitter.finish(formatKey(key));
      if (ended === undefined || ended.outcome === 'open') return undefined;
      return { ...toVerdict(ended), asked: askedBy(ended.earlier) };
    },
    async ended(key: EntityKey, { startsAt }, { mirror, isDone }) {
      if (startsAt !== undefined) return;
      await parts.guard.tickEnded(mirror, formatKey(key), { isCancelled: isDone });
    },
    async withdraw(key: EntityKey, asked) {
      const origin = formatKey(key);
      const begun = await submitter.finish(origin);
      if (begun === undefined || !asked.includes(askedBy(begun.earlier))) return;
      // The request has just ended, and the row must show how.
      if (begun.outcome !== 'open')
        throw new RetryableError('edit-unsettled', 'the request ended before it could be withdrawn');
      await submitter.withdraw(origin);
    },
  };
}

async function assertIsNoAccident(
  { guard, upcoming }: AppointmentRulesParts,
  { claim: { key }, edit, carry, decision }: CarriedCell,
): Promise<void> {
  const name = formatKey(key);
  const mark = `${edit.as} ${hashOfEdit(edit)}`;
  if (decision.field === 'cancel')
    await guard.assertNoMassTicking(edit.mirror, name, () => upcoming(edit.mirror));
  await guard.assertNoLoop(name, mark);
  if (carry.notifyCustomer) await guard.assertMayMail(name, mark);
}

function askedBy(wish: Wish): string {
  return wish.op === 'cancel' ? 'cancel' : new Date(wish.startsAt).toISOString();
}

function wishOf({ claim: { key }, carry, decision }: CarriedCell): MoveWish | CancelWish {
  const common = { appointmentId: key.id, notifyCustomer: carry.notifyCustomer };
  return decision.field === 'cancel'
    ? { op: 'cancel', ...common }
    : { op: 'move', ...common, startsAt: decision.value };
}

/**
 * Rules for rows of contacts: sends what users typed as a PATCH. The platform takes no Idempotency-Key for it, so only the row's note
 * records what was sent.
 */
export function createContactRules(writer: ContactWriter): RowEditRules {
  return {
    decide: decideRowEdit,
    isDone: isContactAsSent,
    hashOf({ header, text, isNumber }, { columns, region }) {
      const field = columns.find((column) => column.header === header)?.field;
      return field !== undefined && isOfContact(field)
        ? cellHash(text, { field, region, isNumber })
        : contentHash(text);
    },
    async carry({ claim: { key }, decision: { field, value } }) {
      try {
        return { object: await writer.change(key.id, { [field]: value }) };
      } catch (error) {
        if (!(error instanceof TerminalError)) throw error;
        return { code: error.status === 404 ? 'not-found' : 'refused' };
      }
    },
  };
}
