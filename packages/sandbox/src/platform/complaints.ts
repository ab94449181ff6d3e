import { Problem } from './problem.ts';

/**
 * Collects the errors of a request by field, and refuses it with all of them in one answer: 422 `validation`.
 */
export class Complaints {
  readonly #byField: Record<string, string[]> = {};

  add(field: string, message: string): void {
    const messages = this.#byField[field] ?? [];
    messages.push(message);
    this.#byField[field] = messages;
  }

  has(field: string): boolean {
    return field in this.#byField;
  }

  check(): void {
    const fields = Object.keys(this.#byField);
    if (fields.length === 0) return;
    throw new Problem('validation', `Invalid: ${fields.join(', ')}.`, { errors: this.#byField });
  }
}
