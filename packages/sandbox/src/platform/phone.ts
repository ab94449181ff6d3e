import { parsePhoneNumberFromString } from 'libphonenumber-js';

/** The country of numbers without a country code. The document's examples are in roubles. */
const HOME_COUNTRY = 'RU';

/** E.164; undefined when the text is not a phone number (platform API, general rule 6). */
export function toE164(text: string): string | undefined {
  const parsed = parsePhoneNumberFromString(text, HOME_COUNTRY);
  return parsed?.isPossible() ? parsed.number : undefined;
}

/** Contacts keep a number that cannot be parsed as given. */
export function toE164OrAsGiven(text: string): string {
  return toE164(text) ?? text;
}
