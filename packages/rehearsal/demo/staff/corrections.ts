// The office corrects contacts' names in their rows. Each correction must reach the platform or get an answer in its
// row.
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import { wireText } from '../judge/company.ts';
import type { CellValue } from '../judge/row-picture.ts';

export const CORRECTED_TAB = 'Win-back';

export interface CarriedVerdict {
  /** Names that the platform accepted. */
  readonly carried: number;
  /** One line each, without content. */
  readonly wrong: readonly string[];
}

export class Corrections {
  /** Typed name to contact id. Each name is typed once. */
  readonly #typed = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(platform: Pick<PlatformSandbox, 'observe' | 'truth'>) {
    platform.observe({
      changed: ({ kind, id }) => {
        const name = kind === 'contact' ? wireText(platform.truth.contact(id)?.['name']) : '';
        if (this.#typed.get(name) === id) this.#taken.add(name);
      },
    });
  }

  /** A name that has not been typed before. */
  next(contactId: string): string {
    const name = `Corrected ${this.#typed.size + 1}`;
    this.#typed.set(name, contactId);
    return name;
  }

  /** `values`: the tab at the end, with the header row first. */
  judge(values: readonly (readonly CellValue[])[]): CarriedVerdict {
    const [header = [], ...rows] = values;
    const [id, answer] = [header.indexOf('ID'), header.indexOf('Answer')];
    const unanswered = new Set(
      rows.filter((row) => wireText(row[answer]) === '').map((row) => wireText(row[id])),
    );
    // Only a contact's last name counts: it has replaced the others.
    const last = new Map([...this.#typed].map(([name, contactId]) => [contactId, name]));
    const wrong = [...last]
      .filter(([contactId, name]) => !this.#taken.has(name) && unanswered.has(contactId))
      .map(([contactId]) => `the name of contact ${contactId}: neither carried nor answered`);
    return { carried: this.#taken.size, wrong };
  }
}
