import type { EventRule } from './outside-booking.ts';

/** As much of an event as rules look at. */
export interface RuledEvent {
  readonly title?: string | undefined;
  readonly creator?: string | undefined;
  /** Somebody who has no calendar in the entry, and whose event it is; absent for the entry's own. */
  readonly invitedBy?: string | undefined;
  readonly attendees?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

/** True when every line of the rule takes the event. */
export function takesEvent(rule: EventRule, event: RuledEvent): boolean {
  return (
    (event.invitedBy === undefined || isNamed(event.invitedBy, rule.organizers ?? [])) &&
    (rule.title === undefined || isLike(event.title ?? '', rule.title)) &&
    (rule.creators === undefined || isAmong([event.creator ?? ''], rule.creators)) &&
    (rule.attendees === undefined || isAmong(event.attendees ?? [], rule.attendees)) &&
    Object.entries(rule.properties ?? {}).every(([name, pattern]) => {
      const value = event.properties?.[name];
      return value !== undefined && isLike(value, pattern);
    })
  );
}

/** `*` stands for any text. People type capitals and blanks as they like. Linear: no pattern makes it slow. */
function isLike(text: string, pattern: string): boolean {
  const [first = '', ...rest] = folded(pattern).split('*');
  const seen = folded(text);
  if (rest.length === 0) return seen === first;
  if (!seen.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = seen.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return seen.length - last.length >= at && seen.endsWith(last);
}

/** Addresses, and domains with their `@`: those alone, and none below them. */
function isNamed(address: string, names: readonly string[]): boolean {
  const seen = folded(address);
  const domain = seen.slice(Math.max(0, seen.lastIndexOf('@')));
  return names.map(folded).some((name) => name === (name.startsWith('@') ? domain : seen));
}

function isAmong(addresses: readonly string[], allowed: readonly string[]): boolean {
  const wanted = new Set(allowed.map(folded));
  return addresses.some((address) => wanted.has(folded(address)));
}

function folded(text: string): string {
  return text.normalize('NFC').trim().toLowerCase();
}
