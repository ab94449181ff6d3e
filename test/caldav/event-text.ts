/** An event as a person's program writes it, one line per array element. */
export function eventText(uid: string, lines: readonly string[] = []): string {
  const has = (name: string) => lines.some((line) => line.startsWith(name));
  return [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//people//of the shop//EN', 'BEGIN:VEVENT'],
    ...[`UID:${uid}`, 'DTSTAMP:20261101T000000Z'],
    ...(has('DTSTART') ? [] : ['DTSTART:20261215T100000Z', 'DTEND:20261215T110000Z']),
    ...(has('SUMMARY') ? [] : ['SUMMARY:Haircut']),
    ...lines,
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');
}
