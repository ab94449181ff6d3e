// The wall clock of this process in the hand of a test, for all that reads it: worker, libraries, sandboxes. Timers and `performance` go on,
// as on a machine whose clock is set.
import { movedDate } from './moved-date.mjs';

const RealDate = Date;

export interface MachineClock {
  /** Sets it; from then on it goes as fast as before. */
  set(to: string | number): void;
  /** Puts it on, or back if negative. */
  move(byMs: number): void;
  /** The real clock again. */
  release(): void;
}

export function takeMachineClock(): MachineClock {
  let aheadMs = 0;
  globalThis.Date = movedDate(() => aheadMs);
  return {
    set(to) {
      aheadMs = new RealDate(to).getTime() - RealDate.now();
    },
    move(byMs) {
      aheadMs += byMs;
    },
    release() {
      globalThis.Date = RealDate;
    },
  };
}
