/** The place of a setting: keys of maps and indexes of lists, from the root of the file. */
export type Path = readonly (string | number)[];

/** `mirrors.contacts.columns."First name"`, `platform.webhook.secrets[0]`; empty for the root. */
export function formatPath(path: Path): string {
  return path.map(formatStep).join('');
}

function formatStep(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  const dot = index === 0 ? '' : '.';
  // A header or the name of a resource may contain dots and spaces; quotes keep the path unambiguous.
  return /^[\p{L}\p{N}_-]+$/u.test(step) ? dot + step : dot + JSON.stringify(withoutValue(step));
}

/** Without a space after the colon, YAML reads `api_key:sk_…` as one long name. The part after the colon may be a key. */
function withoutValue(step: string): string {
  const colon = step.indexOf(':');
  return colon < 0 || colon === step.length - 1 ? step : `${step.slice(0, colon + 1)}…`;
}
