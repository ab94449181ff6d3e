// Gathers classes from the platform's list of appointments while that list is walked.
import { type ClassSlot, classIdOf, classNow, classSlotText } from '../../engine/domain/class-slot.ts';
import type { EntityKey, Snapshot } from '../../engine/domain/object.ts';
import { meet, type TrueObject, type TruthParts } from './truth.ts';

export class GatheredClasses {
  readonly #parts: TruthParts;
  readonly #members = new Map<string, { readonly slot: ClassSlot; readonly members: Snapshot[] }>();

  constructor(parts: TruthParts) {
    this.#parts = parts;
  }

  add({ claim }: TrueObject): void {
    const slot = this.#parts.classes?.slotFor(claim);
    if (slot === undefined || claim.snapshot === undefined) return;
    const known = this.#members.get(classSlotText(slot)) ?? { slot, members: [] };
    known.members.push(claim.snapshot);
    this.#members.set(classSlotText(slot), known);
  }

  /** Each class once, with its stored state. */
  async *objects(): AsyncGenerator<TrueObject> {
    for (const { slot, members } of this.#members.values()) {
      const key: EntityKey = { kind: 'class', id: classIdOf(slot) };
      const object = await meet(this.#parts, key, classNow(slot, members));
      // The stored part of a class has no content that could be outdated.
      yield { ...object, isNews: (await this.#parts.view.peek(key)) === undefined };
    }
  }
}
