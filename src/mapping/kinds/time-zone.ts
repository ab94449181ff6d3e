import { isZoneName, ZONES_VERSION, zoneNames } from '../../engine/zones/rules.ts';
import { AS_WRITTEN, complaint } from '../complaint.ts';
import { didYouMean } from '../suggest.ts';
import { ofType } from './explained.ts';
import { readWith } from './reading.ts';
import { text } from './text.ts';

/** A zone of the IANA database, by name: an offset such as +03:00 has no daylight saving time. */
export function timeZone() {
  return readWith(text().meta(ofType('time zone')), (name) => {
    if (isZoneName(name)) return { value: name };
    return {
      complaint: complaint(
        `${AS_WRITTEN} is not a known time zone`,
        `${didYouMean(name, zoneNames())}write a name of the IANA database (${ZONES_VERSION}) such as Europe/Berlin or UTC`,
      ),
    };
  });
}
