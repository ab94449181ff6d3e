/** Reads query parameters. `check()` refuses the request with all errors. Unknown parameters are ignored. */
import { UUID } from './body.ts';
import { Complaints } from './complaints.ts';
import { parseInstant } from './instant.ts';
import { LIMITS } from './options.ts';

export class Query {
  readonly complaints = new Complaints();
  readonly #values: Record<string, unknown>;
  readonly #acceptsPlus: boolean;

  /** `acceptsPlus`: an unencoded `+` in a time zone arrives as a space, and is read as a plus. */
  constructor(values: unknown, acceptsPlus: boolean) {
    this.#values = (values ?? {}) as Record<string, unknown>;
    this.#acceptsPlus = acceptsPlus;
  }

  check(): void {
    this.complaints.check();
  }

  limit(
    bounds: { default: number; max: number } = { default: LIMITS.pageDefault, max: LIMITS.pageMax },
  ): number {
    return this.integer('limit', { min: 1, max: bounds.max }) ?? bounds.default;
  }

  integer(name: string, bounds: { min: number; max: number }): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= bounds.min && value <= bounds.max) return value;
    this.complaints.add(name, `must be an integer from ${bounds.min} to ${bounds.max}`);
    return undefined;
  }

  text(name: string, charsMax = Number.POSITIVE_INFINITY): string | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (typeof value !== 'string') {
      this.complaints.add(name, 'may be given once');
      return undefined;
    }
    if ([...value].length > charsMax) this.complaints.add(name, `must have at most ${charsMax} characters`);
    return value;
  }

  uuid(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (UUID.test(text)) return text.toLowerCase();
    this.complaints.add(name, 'must be a uuid');
    return undefined;
  }

  requiredUuid(name: string): string {
    const id = this.uuid(name);
    if (id === undefined && !this.complaints.has(name)) this.complaints.add(name, 'is required');
    return id ?? '';
  }

  oneOf(name: string, allowed: readonly string[]): string | undefined {
    const text = this.text(name);
    if (text === undefined || allowed.includes(text)) return text;
    this.complaints.add(name, `must be one of ${allowed.join(', ')}`);
    return undefined;
  }

  /** Comma-separated values. */
  someOf(name: string, allowed: readonly string[]): string[] | undefined {
    const values = this.text(name)?.split(',');
    if (values && !values.every((value) => allowed.includes(value))) {
      this.complaints.add(name, `must be a comma-separated list of ${allowed.join(', ')}`);
    }
    return values;
  }

  /** A date-time with zone, in ms. */
  instant(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const ms = parseInstant(this.#acceptsPlus ? text.replace(/ (\d\d:\d\d)$/, '+$1') : text);
    if (ms === undefined) this.complaints.add(name, 'must be a date-time with a time zone');
    return ms;
  }

  requiredInstant(name: string): number {
    const ms = this.instant(name);
    if (ms === undefined && !this.complaints.has(name)) this.complaints.add(name, 'is required');
    return ms ?? 0;
  }
}
