import { complaint } from '../complaint.ts';
import { text } from '../kinds/text.ts';
import { PHONE_REGIONS } from './phone-regions.ts';

/** The country (ISO 3166) of phone numbers that people write without one. */
export function phoneRegion() {
  const wrong = complaint('is not a country', 'write its two letters, such as RU or DE');
  return text({ pattern: /^[A-Za-z]{2}$/, wrong }).refine((code) => PHONE_REGIONS.has(code.toUpperCase()), {
    error: wrong,
  });
}
