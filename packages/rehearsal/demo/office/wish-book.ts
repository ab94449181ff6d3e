// The changes that the office wanted, and those that the platform made. No other actor changes these appointments, so an unwanted change is
// a slip that the worker carried over.
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { wireText } from '../judge/company.ts';

export interface Wish {
  /** The appointment's id. */
  readonly id: string;
  /** The wanted start, RFC 3339, or a cancellation. */
  readonly to: string | 'cancelled';
}

export interface OfficeVerdict {
  /** Wishes that were fulfilled exactly once. */
  readonly moves: number;
  readonly cancels: number;
  /** One line each, without content. */
  readonly wrong: readonly string[];
}

export class WishBook {
  readonly #wishes = new Map<string, Wish>();
  readonly #happened: Wish[] = [];

  constructor(platform: Pick<PlatformSandbox, 'observe' | 'truth'>, ids: readonly string[]) {
    platform.observe({
      changed: ({ type, id }) => {
        if (!ids.includes(id)) return;
        if (type === 'appointment.cancelled') this.#happened.push({ id, to: 'cancelled' });
        if (type !== 'appointment.rescheduled') return;
        this.#happened.push({ id, to: wireText(platform.truth.appointment(id)?.['starts_at']) });
      },
    });
  }

  /** A repeated request is the same wish. */
  asked(wish: Wish): void {
    this.#wishes.set(nameOf(wish), wish);
  }

  judge(): OfficeVerdict {
    const times = new Map<string, number>();
    for (const each of this.#happened) times.set(nameOf(each), (times.get(nameOf(each)) ?? 0) + 1);
    const wishes = [...this.#wishes.values()];
    const isOnce = (wish: Wish) => times.get(nameOf(wish)) === 1;
    const once = wishes.filter(isOnce);
    const moves = once.filter(({ to }) => to !== 'cancelled').length;
    const unwished = this.#happened.filter((each) => !this.#wishes.has(nameOf(each)));
    const wrong = [
      ...wishes
        .filter((wish) => !isOnce(wish))
        .map(
          (wish) =>
            `appointment ${wish.id}: ${whatOf(wish)} ${times.get(nameOf(wish)) ?? 0} times, wished once`,
        ),
      ...unwished.map((each) => `appointment ${each.id}: ${whatOf(each)}, and nobody wished it`),
    ];
    return { moves, cancels: once.length - moves, wrong };
  }
}

function whatOf({ to }: Wish): string {
  return to === 'cancelled' ? 'cancelled' : 'moved';
}

function nameOf({ id, to }: Wish): string {
  return `${id} ${to === 'cancelled' ? to : Date.parse(to)}`;
}
