import type { Log, Meter } from '../../src/engine/runtime.ts';

/** Keeps every line, so that a test can say what must not stand in any of them. */
export class KeptLog implements Log {
  readonly lines: { level: string; fields: object; message: string }[] = [];
  debug = (fields: object, message: string): void => this.#keep('debug', fields, message);
  info = (fields: object, message: string): void => this.#keep('info', fields, message);
  warn = (fields: object, message: string): void => this.#keep('warn', fields, message);
  error = (fields: object, message: string): void => this.#keep('error', fields, message);

  #keep(level: string, fields: object, message: string): void {
    this.lines.push({ level, fields, message });
  }
}

/** Keeps counters and measurements by name. */
export class KeptMeter implements Meter {
  readonly counts: Record<string, number> = {};
  readonly measured: { name: string; seconds: number; labels: Readonly<Record<string, string>> }[] = [];

  add(counter: string, _labels: Readonly<Record<string, string>> = {}, by = 1): void {
    this.counts[counter] = (this.counts[counter] ?? 0) + by;
  }

  observe(name: string, seconds: number, labels: Readonly<Record<string, string>> = {}): void {
    this.measured.push({ name, seconds, labels });
  }
}
