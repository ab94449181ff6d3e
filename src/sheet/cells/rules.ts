// Carries what the office typed or ticked in an appointment's row, through the submitter and guards of calendar staff edits. Each
// appointment has one request at a time, stored before it leaves. A request is never repeated before the appointment was read.

import { RetryableError } from '../../engine/domain/errors.ts';
import { type EntityKey, formatKey } from '../../engine/domain/object.ts';
import type { CancelWish, MoveWish, Refusal, Verdict, Wish } from '../../engine/domain/outside-booking.ts';
import type { EditGuard } from '../../engine/edits/guard.ts';
import type { BookingSubmitter, CarriedCell, RowEditRules, RowVerdict } from '../../engine/ports/bookings.ts';
import { decideAppointmentEdit, hashOfEdit } from './decide-appointment.ts';

export interface AppointmentRulesParts {
  readonly submitter: Pick<BookingSubmitter, 'submit' | 'finish' | 'withdraw'>;
  readonly guard: Pick<EditGuard, 'assertNoMassTicking' | 'assertNoLoop' | 'assertMayMail'>;
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
    async carry(asked) {
      await assertIsNoAccident(parts, asked);
      const origin = formatKey(asked.key);
      const verdict = await submitter.submit(origin, wishOf(asked));
      if (verdict.earlier === undefined) return toVerdict(verdict);
      // A request begun from a calendar came first. The appointment may no longer be the one by which the wish was judged.
      if (verdict.outcome === 'done') return { code: 'changed-meanwhile' };
      const own = await submitter.submit(origin, wishOf(asked));
      if (own.earlier === undefined) return toVerdict(own);
      throw new RetryableError('intent-contended', 'another request for this appointment came first');
    },
    async finish(key: EntityKey) {
      const ended = await submitter.finish(formatKey(key));
      if (ended === undefined || ended.outcome === 'open') return undefined;
      return { ...toVerdict(ended), asked: askedBy(ended.earlier) };
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
  { key, edit, carry, decision }: CarriedCell,
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

function wishOf({ key, carry, decision }: CarriedCell): MoveWish | CancelWish {
  const common = { appointmentId: key.id, notifyCustomer: carry.notifyCustomer };
  return decision.field === 'cancel'
    ? { op: 'cancel', ...common }
    : { op: 'move', ...common, startsAt: decision.value };
}
