// Number patterns as Sheets reads them: `#,##0.00`, `0%`, `"$"#,##0.00`, `[$CHF] 0.00`, `0.00E+00`, and up to three
// sections for positive, negative and zero. Literals are in quotes, after a backslash or in `[$…]`.

/** A number in the pattern; undefined when the pattern has no digits to fill in. */
export function formatNumber(value: number, pattern: string): string | undefined {
  const sections = split(pattern);
  const [positive = '', negative, zero] = sections;
  if (value === 0 && zero !== undefined) return fill(0, zero) ?? literal(zero);
  if (value < 0 && negative !== undefined) return fill(-value, negative) ?? literal(negative);
  const text = fill(Math.abs(value), positive);
  return text === undefined ? undefined : value < 0 ? `-${text}` : text;
}

interface Piece {
  /** Literal text; undefined for the digits. */
  text: string | undefined;
  digits: string;
}

/** Semicolons separate sections, except inside quotes and brackets. */
function split(pattern: string): string[] {
  const sections = [''];
  for (const [token] of pattern.matchAll(/"[^"]*"|\\.|\[[^\]]*\]|./gs)) {
    if (token === ';') sections.push('');
    else sections[sections.length - 1] += token;
  }
  return sections;
}

function fill(value: number, section: string): string | undefined {
  const pieces = read(section);
  if (!pieces.some((piece) => piece.text === undefined)) return undefined;
  const isPercent = pieces.some((piece) => piece.text === '%');
  return pieces.map((piece) => piece.text ?? digits(isPercent ? value * 100 : value, piece.digits)).join('');
}

function literal(section: string): string {
  return read(section)
    .map((piece) => piece.text ?? '')
    .join('');
}

function read(section: string): Piece[] {
  const tokens = section.matchAll(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*.|[#0?][#0?,]*(?:\.[#0?]*)?(?:E[+-]0+)?|./gis);
  return [...tokens].map(([token]) => pieceOf(token));
}

function pieceOf(token: string): Piece {
  const piece = (text: string): Piece => ({ text, digits: '' });
  if (token.startsWith('"')) return piece(token.slice(1, -1));
  if (token.startsWith('\\')) return piece(token.slice(1));
  // `[$CHF-807]` is a currency with its locale. `[Red]` and conditions set colours and show no text.
  if (token.startsWith('[')) return piece(/^\[\$([^\]-]*)/.exec(token)?.[1] ?? '');
  if (token.startsWith('_')) return piece(' ');
  if (token.startsWith('*')) return piece('');
  return /^[#0?]/.test(token) ? { text: undefined, digits: token } : piece(token);
}

function digits(value: number, core: string): string {
  const [, mantissa = core, zeros] = /^(.*?)E[+-](0+)$/i.exec(core) ?? [];
  if (zeros !== undefined) return scientific(value, mantissa, zeros.length);
  const [left = '', right = ''] = mantissa.split('.');
  const [whole = '0', fraction = ''] = rounded(value, right.length).split('.');
  const least = right.replaceAll(/[#?]/g, '').length;
  const shown = fraction.replace(/0+$/, '').padEnd(least, '0');
  const wanted = left.replaceAll(/[^0]/g, '').length;
  const padded = (wanted === 0 && whole === '0' ? '' : whole).padStart(wanted, '0');
  const grouped = left.includes(',') ? padded.replace(/\B(?=(\d{3})+(?!\d))/g, ',') : padded;
  return shown === '' ? grouped : `${grouped}.${shown}`;
}

function scientific(value: number, mantissa: string, width: number): string {
  const decimals = (mantissa.split('.')[1] ?? '').length;
  const [number = '0', power = '+0'] = value.toExponential(decimals).split('e');
  return `${number}E${power.slice(0, 1)}${power.slice(1).padStart(width, '0')}`;
}

/** Rounds half up in decimal, as a person does: 1.005 is 1.01, although its nearest double is below. */
function rounded(value: number, decimals: number): string {
  const shifted = Number(`${value.toPrecision(15)}e${decimals}`);
  return Number.isFinite(shifted) && shifted < 1e15
    ? Number(`${Math.round(shifted)}e-${decimals}`).toFixed(decimals)
    : value.toFixed(decimals);
}
