import type { Metadata } from './records.ts';

const KEYS_MAX = 50;
const KEY_CHARS_MAX = 40;
const VALUE_CHARS_MAX = 500;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/**
 * Checks and cleans `metadata` by general rule 8 of the platform API. Calls `refuse` with the text of each error.
 */
export function readMetadata(given: unknown, refuse: (message: string) => void): Metadata | null {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    refuse('must be a flat object');
    return null;
  }
  const entries = Object.entries(given);
  if (entries.length > KEYS_MAX) refuse(`may have at most ${KEYS_MAX} keys`);
  const clean: Metadata = {};
  for (const [key, value] of entries) {
    if (key === '' || [...key].length > KEY_CHARS_MAX) refuse(`a key has 1 to ${KEY_CHARS_MAX} characters`);
    if (NUMBER.test(key)) refuse('a key may not be a number');
    clean[key] = readValue(value, refuse);
  }
  return clean;
}

function readValue(value: unknown, refuse: (message: string) => void): Metadata[string] {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') {
    refuse('a value is a string, a number, a boolean or null');
    return null;
  }
  const trimmed = value.trim();
  if ([...trimmed].length > VALUE_CHARS_MAX) refuse(`a string has at most ${VALUE_CHARS_MAX} characters`);
  return trimmed === '' ? null : trimmed;
}
