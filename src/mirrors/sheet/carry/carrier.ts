// A claim with changed cells comes in; each is decided about, carried to the platform where it may be, and answered in what is kept for its row.
// The mirrors then write the row as the platform has it. All of it can be repeated after a death at any step: the change stays stored until
// its answer is, and what was about to leave is stored before.
import { formatKey } from '../../../domain/entity.ts';
import { RetryableError, TerminalError, WorkerError } from '../../../domain/errors.ts';
import type { RowEdit, RowNote, SheetCarry } from '../../../domain/row-edit.ts';
import { contentHash, type Snapshot } from '../../../domain/snapshot.ts';
import type { Claim } from '../../../domain/work.ts';
import type { Carried, EditCarrier } from '../../../ports/bookings.ts';
import type { History } from '../../../ports/operator.ts';
import type { ContactWriter, PlatformReader } from '../../../ports/platform.ts';
import type { RowEditStore } from '../../../ports/rows.ts';
import type { Clock, Log } from '../../../ports/runtime.ts';
import type { WorkStore } from '../../../ports/work.ts';
import { decideRowEdit, type RowEditDecision } from './decide.ts';
import { cellHash } from './normal-form.ts';

export interface RowEditCarrierParts {
  /** By mirror; edits of others were made under another mapping. */
  readonly mirrors: ReadonlyMap<string, SheetCarry>;
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly writer: ContactWriter;
  readonly work: Pick<WorkStore, 'refresh'>;
  readonly edits: Pick<RowEditStore, 'keep'>;
  readonly history: Pick<History, 'note'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Answers that are remembered of one row. */
const ANSWERED_MAX = 20;
/** The longest quotation of what people wrote, in an answer. */
const QUOTED_CHARS_MAX = 100;

export function createRowEditCarrier(parts: RowEditCarrierParts): EditCarrier {
  return {
    async carry(claim) {
      const { rowEdits = [] } = claim;
      if (rowEdits.length === 0) return { claim, failures: [] };
      return new Turn(parts, claim).run();
    },
  };
}

/** Hash of all that may be changed in a row: an answer stands beside the row for as long as nothing of it changes. */
export function carriedHash({ name, phone, email, lifecycle }: Snapshot): string {
  return contentHash({ name, phone, email, lifecycle });
}

class Turn {
  readonly #parts: RowEditCarrierParts;
  #claim: Claim;
  #contact: Snapshot | undefined;

  constructor(parts: RowEditCarrierParts, claim: Claim) {
    this.#parts = parts;
    this.#claim = claim;
  }

  async run(): Promise<Carried> {
    const failures: { mirror: string; error: WorkerError }[] = [];
    for (const mirror of new Set((this.#claim.rowEdits ?? []).map((edit) => edit.mirror))) {
      try {
        await this.#answer(mirror);
      } catch (thrown) {
        if (!(thrown instanceof WorkerError) || thrown.code === 'fenced') throw thrown;
        failures.push({ mirror, error: thrown });
      }
    }
    return { claim: this.#claim, failures };
  }

  /** Before each mirror: what one has carried the next one has to know. Of a change that is only put back nothing is asked. */
  async #read(edits: readonly RowEdit[]): Promise<void> {
    const { key, snapshot, deleted } = this.#claim;
    const isAsked = !deleted && edits.some(({ doubt }) => doubt === undefined);
    this.#contact = isAsked ? await this.#parts.reader.get(key) : deleted ? undefined : snapshot;
    if (isAsked && this.#contact !== undefined) await this.#refresh(this.#contact);
  }

  async #refresh(found: Snapshot): Promise<void> {
    const claim = await this.#parts.work.refresh(this.#claim, { found });
    if (claim === undefined) throw fenced();
    this.#claim = claim;
  }

  async #answer(mirror: string): Promise<void> {
    const carry = this.#parts.mirrors.get(mirror);
    const headers = carry?.columns.map(({ header }) => header) ?? [];
    // In the order of the columns: so they are answered.
    const edits = (this.#claim.rowEdits ?? [])
      .filter((edit) => edit.mirror === mirror)
      .sort((a, b) => headers.indexOf(a.header) - headers.indexOf(b.header));
    await this.#read(edits);
    const outcomes: Outcome[] = [];
    if (carry !== undefined && !this.#claim.deleted)
      for (const edit of edits) outcomes.push({ edit, ...(await this.#carry(edit, carry)) });
    const before = this.#note(mirror);
    const note =
      carry === undefined ? before : noteAfter(before, outcomes, { carry, snapshot: this.#claim.snapshot });
    await this.#keep(mirror, note, edits);
    this.#tell(mirror, outcomes);
  }

  async #carry(edit: RowEdit, carry: SheetCarry): Promise<Pick<Outcome, 'decision' | 'isDone'>> {
    const note = this.#note(edit.mirror);
    const decision = decideRowEdit({ edit, carry, contact: this.#contact, note });
    if (decision.type !== 'carry') return { decision, isDone: decision.type === 'agreed' && decision.isOurs };
    const { field, value, over } = decision;
    const hash = cellHash(edit.text, { field, region: carry.region });
    const sent = [
      { header: edit.header, hash, over },
      ...note.sent.filter(({ header }) => header !== edit.header),
    ];
    await this.#keep(edit.mirror, { ...note, sent }, []);
    try {
      this.#contact = await this.#parts.writer.change(this.#claim.key.id, { [field]: value });
    } catch (error) {
      if (!(error instanceof TerminalError)) throw error;
      return {
        decision: { type: 'refuse', code: error.status === 404 ? 'not-found' : 'refused' },
        isDone: false,
      };
    }
    await this.#refresh(this.#contact);
    return { decision, isDone: true };
  }

  #note(mirror: string): RowNote {
    return this.#claim.rowNotes?.[mirror] ?? NO_NOTE;
  }

  async #keep(mirror: string, note: RowNote, answered: readonly RowEdit[]): Promise<void> {
    if (!(await this.#parts.edits.keep(this.#claim, mirror, { note, answered }))) throw fenced();
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
      const code = isDone ? 'carried' : decision.type === 'refuse' ? decision.code : undefined;
      if (code === undefined) continue;
      log.info({ key, mirror, code }, 'a changed cell was answered');
      const rule = `mirrors.${mirror}.sheet.edited`;
      history.note(key, { what: 'acted', atMs: clock.now(), by: 'row-edit', code, rule, ids: { mirror } });
    }
  }
}

const NO_NOTE: RowNote = { done: [], refused: [], of: '', answered: [], sent: [] };

interface Outcome {
  readonly edit: RowEdit;
  readonly decision: RowEditDecision;
  /** The platform has it by the worker's doing. */
  readonly isDone: boolean;
}

/** What is said stays until something else is to be said. */
function noteAfter(
  before: RowNote,
  outcomes: readonly Outcome[],
  { carry, snapshot }: { readonly carry: SheetCarry; readonly snapshot: Snapshot | undefined },
): RowNote {
  const answered = outcomes.flatMap(({ edit: { header, as, text }, decision }) => {
    const column = carry.columns.find((each) => each.header === header);
    if (column === undefined) return [];
    const hash = cellHash(text, { field: column.field, region: carry.region });
    return [{ header, as, hash, isKnown: decision.type === 'carry' || decision.type === 'agreed' }];
  });
  const headers = new Set(answered.map(({ header }) => header));
  const kept = {
    answered: [...answered, ...before.answered].slice(0, ANSWERED_MAX),
    sent: before.sent.filter(({ header }) => !headers.has(header)),
  };
  const done = outcomes.flatMap(({ edit, isDone }) => (isDone ? [edit.header] : []));
  const refused = outcomes.flatMap(({ edit, decision }) =>
    decision.type === 'refuse' ? [refusalOf(edit, decision.code)] : [],
  );
  if (done.length === 0 && refused.length === 0) return { ...before, ...kept };
  return { ...kept, done, refused, of: snapshot === undefined ? '' : carriedHash(snapshot) };
}

function refusalOf(
  { header, text }: RowEdit,
  code: RowNote['refused'][number]['code'],
): RowNote['refused'][number] {
  const isOwn = code === 'unreadable' || code === 'changed-meanwhile' || code === 'refused';
  return { header, code, ...(isOwn && { wrote: [...text].slice(0, QUOTED_CHARS_MAX).join('') }) };
}

function fenced(): RetryableError {
  return new RetryableError('fenced', 'another handler took the object over');
}
