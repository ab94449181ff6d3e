import { AS_WRITTEN, complaint } from '../complaint.ts';
import { didYouMean } from '../suggest.ts';
import { ofType } from './explained.ts';
import { readWith } from './reading.ts';
import { text } from './text.ts';

/** A zone of the IANA database, by name: an offset such as +03:00 has no daylight saving time. */
export function timeZone() {
  return readWith(text().meta(ofType('time zone')), (name) => {
    if (/^[A-Za-z]/.test(name) && isZone(name)) return { value: name };
    const near = didYouMean(name, Intl.supportedValuesOf('timeZone'));
    return {
      complaint: complaint(
        `${AS_WRITTEN} is not a known time zone`,
        `${near}write a name of the IANA database such as Europe/Berlin or UTC`,
      ),
    };
  });
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
