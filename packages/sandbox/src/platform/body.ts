/**
 * Reads the fields of a JSON body. Every reader returns the given value or `undefined`, and notes errors; `check()` then
 * refuses the request as a whole. Unknown fields are ignored, because the document names no error for them.
 */
import { Complaints } from './complaints.ts';
import { parseInstant } from './instant.ts';
import { readMetadata } from './metadata.ts';
import { Problem } from './problem.ts';
import type { Metadata } from './records.ts';

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

export class Body {
  readonly complaints = new Complaints();
  readonly #fields: Record<string, unknown>;

  constructor(parsed: unknown) {
    if (parsed !== undefined && (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))) {
      throw new Problem('bad-request', 'The body must be a JSON object.');
    }
    this.#fields = (parsed ?? {}) as Record<string, unknown>;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  isNull(name: string): boolean {
    return this.#fields[name] === null;
  }

  check(): void {
    this.complaints.check();
  }

  /** A required, non-empty text; '' when it was refused. */
  requiredText(name: string, charsMax?: number): string {
    const text = this.#text(name, charsMax);
    if (typeof text === 'string' && text.trim() !== '') return text;
    if (!this.complaints.has(name)) this.complaints.add(name, 'is required');
    return '';
  }

  /** A text that null clears. */
  nullableText(name: string, charsMax?: number): string | null | undefined {
    return this.#text(name, charsMax);
  }

  email(name: string, charsMax?: number): string | null | undefined {
    const text = this.#text(name, charsMax);
    if (typeof text === 'string' && !EMAIL.test(text)) this.complaints.add(name, 'must be an email address');
    return text;
  }

  uuid(name: string): string | null | undefined {
    const text = this.#text(name);
    if (typeof text !== 'string') return text;
    if (!UUID.test(text)) this.complaints.add(name, 'must be a uuid');
    return text.toLowerCase();
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | null | undefined {
    const text = this.#text(name);
    if (typeof text !== 'string') return text;
    if ((allowed as readonly string[]).includes(text)) return text as T;
    this.complaints.add(name, `must be one of ${allowed.join(', ')}`);
    return undefined;
  }

  integer(name: string, bounds: { min?: number; max?: number } = {}): number | null | undefined {
    const value = this.#fields[name];
    if (value === undefined || value === null) return value;
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      this.complaints.add(name, 'must be an integer');
      return undefined;
    }
    if (value < (bounds.min ?? -Infinity)) this.complaints.add(name, `must be at least ${bounds.min}`);
    if (value > (bounds.max ?? Infinity)) this.complaints.add(name, `must be at most ${bounds.max}`);
    return value;
  }

  boolean(name: string): boolean | null | undefined {
    const value = this.#fields[name];
    if (value === undefined || value === null || typeof value === 'boolean') return value;
    this.complaints.add(name, 'must be a boolean');
    return undefined;
  }

  /** A required RFC 3339 date-time with an offset, in ms; 0 when it was refused. */
  requiredInstant(name: string): number {
    const text = this.#fields[name];
    const ms = typeof text === 'string' ? parseInstant(text) : undefined;
    if (ms !== undefined) return ms;
    this.complaints.add(
      name,
      text === undefined || text === null ? 'is required' : 'must be a date-time with a time zone',
    );
    return 0;
  }

  textList(name: string): string[] | null | undefined {
    const value = this.#fields[name];
    if (value === undefined || value === null) return value;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    this.complaints.add(name, 'must be an array of strings');
    return undefined;
  }

  metadata(name: string): Metadata | null {
    const value = this.#fields[name];
    if (value === undefined || value === null) return null;
    return readMetadata(value, (message) => this.complaints.add(name, message));
  }

  /** Refuses an explicit null for fields that the document does not let a request clear. */
  refuseNull(...names: string[]): void {
    for (const name of names) if (this.#fields[name] === null) this.complaints.add(name, 'may not be null');
  }

  #text(name: string, charsMax = Number.POSITIVE_INFINITY): string | null | undefined {
    const value = this.#fields[name];
    if (value === undefined || value === null) return value;
    if (typeof value !== 'string') {
      this.complaints.add(name, 'must be a string');
      return undefined;
    }
    if ([...value].length > charsMax) this.complaints.add(name, `must have at most ${charsMax} characters`);
    return value;
  }
}
