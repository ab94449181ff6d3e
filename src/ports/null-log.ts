import type { Log } from './log.ts';
import type { Meter } from './meter.ts';

/** For commands: what they have to say stands on the terminal, and nobody asks them for metrics. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };
export const UNCOUNTED: Meter = { add() {}, observe() {} };
