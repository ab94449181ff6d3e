// Two forms that recordings of Google's answers show. A colour has 256 steps in each channel. A range of the first tab does not name its
// id, which is 0.
import { isObject, type Json, type JsonObject } from '../json.ts';

const CHANNELS: ReadonlySet<string> = new Set(['red', 'green', 'blue', 'alpha']);
const STEPS = 255;
const RANGES: ReadonlySet<string> = new Set(['range', 'ranges', 'unprotectedRanges', 'merges']);

/** The answer as Google sends it. `name`: the field that holds `value`. */
export function asRecorded<Value extends Json | undefined>(value: Value, name?: string): Value {
  if (Array.isArray(value)) return value.map((each) => asRecorded(each, name)) as Value;
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  if (entries.length > 0 && entries.every(([key, each]) => CHANNELS.has(key) && typeof each === 'number'))
    return Object.fromEntries(
      entries.map(([key, each]) => [key, Math.round(Number(each) * STEPS) / STEPS]),
    ) as Value;
  const isFirst = name !== undefined && RANGES.has(name) && value['sheetId'] === 0;
  const shown: JsonObject = {};
  for (const [key, each] of entries) if (!(isFirst && key === 'sheetId')) shown[key] = asRecorded(each, key);
  return shown as Value;
}
