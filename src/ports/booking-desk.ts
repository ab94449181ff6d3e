import type { Refusal, Verdict, Wish } from '../domain/booking.ts';
import type { Snapshot } from '../domain/snapshot.ts';

/** Whether a live appointment that bears the mark of another origin is this one's; `perhaps`: a person has to say. */
export type IsFormer = (mark: string, appointment: Snapshot) => Promise<boolean | 'perhaps'>;

/** Carries wishes to the platform, each exactly once: what was begun is finished before anything newer is looked at. */
export interface BookingDesk {
  /**
   * Brings the wish to its verdict. The request is stored, body and key, before it leaves; should an earlier request of this origin be
   * without an answer, that one is finished first, and its verdict returned with `earlier`. Rejects with `RetryableError` or
   * `DeferredError` while there is no verdict: call again.
   *
   * `isFormer`: whether an appointment that was made for another origin is this one's, which has changed its place or its name since.
   * Asked when nothing is known of a booking, of what the platform shows. `perhaps` ends in the refusal `perhaps-booked`.
   */
  submit(origin: string, wish: Wish, isFormer?: IsFormer): Promise<Verdict & { readonly earlier?: Wish }>;
  /** Finishes what was begun for this origin; undefined when nothing is open. */
  finish(origin: string): Promise<(Verdict & { readonly earlier: Wish }) | undefined>;
  /**
   * The appointment that this origin's last successful booking made, as far as the desk remembers. Ask when your own record knows none:
   * a verdict that was reached and not taken home would otherwise leave an appointment that nobody cancels.
   */
  made(origin: string): Promise<string | undefined>;
  /**
   * Free times of a day, for somebody who has yet to choose one; nothing where there are none, or none can be told. Rejects with
   * `RetryableError` or `DeferredError` for a while when the platform cannot be asked: call again. `sinceMs`: when it was wished.
   */
  freeTimes(
    wished: { readonly serviceId: string; readonly branchId?: string; readonly resourceId?: string } & {
      readonly guests?: number;
      readonly durationMin?: number;
    },
    within: { readonly fromMs: number; readonly toMs: number; readonly sinceMs: number },
  ): Promise<Pick<Refusal, 'slots' | 'zone'>>;
}
