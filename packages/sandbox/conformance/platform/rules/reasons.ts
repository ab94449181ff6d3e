/** Common reasons why a rule has no test. */
export const NOT_SHOWN = 'the document does not show it';
export const SILENT =
  'the document is silent or contradicts itself here; the sandbox has a switch for each reading';
export const ADVICE = 'advice to consumers; nothing of the server shows it';
