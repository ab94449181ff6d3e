// Wire data can have any size and depth. It is bounded here, before it becomes a key, a row or a line on a terminal.

/** The platform's ids are UUIDs. Longer ids, and ids with blanks, slashes or control characters, are refused. */
const ID = /^[\w.~=+@-]{1,128}$/;
/** The list of event types grows, but their form does not change (platform API, Event types). */
const EVENT_TYPE = /^[\w.-]{1,128}$/;
/** Longest text of an event's time. */
const MOMENT_CHARS_MAX = 64;
/** Deepest nesting of a platform object. Real ones have three levels; recursion over them must not overflow the stack. */
const DEPTH_MAX = 32;
/** Longest text within a platform object. The platform cuts events at 256 KB (platform API, Event), but a GET returns the whole text. */
const TEXT_CHARS_MAX = 1024 * 1024;

export function isId(text: string): boolean {
  return ID.test(text);
}

export function isEventType(text: string): boolean {
  return EVENT_TYPE.test(text);
}

export function isMomentSized(text: string): boolean {
  return text.length <= MOMENT_CHARS_MAX;
}

/** True when no part of a JSON value is nested too deeply and no text or name in it is too long. Does not recurse itself. */
export function isBounded(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= DEPTH_MAX; depth += 1) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item === 'string' && item.length > TEXT_CHARS_MAX) return false;
      if (typeof item !== 'object' || item === null) continue;
      if (!Array.isArray(item) && Object.keys(item).some((name) => name.length > TEXT_CHARS_MAX))
        return false;
      for (const part of Object.values(item)) next.push(part);
    }
    if (next.length === 0) return true;
    level = next;
  }
  return false;
}
