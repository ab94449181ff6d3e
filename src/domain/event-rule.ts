import type { EventRule } from './outside-booking.ts';

/** The part of an event that rules check. */
export interface RuledEvent {
  readonly title?: string | undefined;
  readonly creator?: string | undefined;
  /** Organizer of an event from outside: someone without a calendar in the entry. Absent for the entry's own events. */
  readonly invitedBy?: string | undefined;
  readonly attendees?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

/** True when every line of the rule matches the event. */
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

/** `*` matches any text. Ignores case and outer blanks, because people type both as they like. Linear: no pattern makes it slow. */
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

/** Matches addresses, and domains with their `@`, but no subdomains. */
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
