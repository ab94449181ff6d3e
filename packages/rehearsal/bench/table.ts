import type { Figure } from './figure.ts';

const HEADERS = ['', 'figure', 'reference', 'ratio', 'required', ''] as const;

/** The figures as text: one table per section, followed by notes on how they were measured. */
export function tableOf(figures: readonly Figure[]): string {
  const sections = [...new Set(figures.map(({ section }) => section))];
  return sections
    .map((section) =>
      sectionTable(
        section,
        figures.filter((each) => each.section === section),
      ),
    )
    .join('\n');
}

function sectionTable(section: string, figures: readonly Figure[]): string {
  const notes = [...new Set(figures.flatMap(({ note }) => (note === undefined ? [] : [note])))];
  const rows = [HEADERS.map(String), ...figures.map((figure) => cellsOf(figure, notes))];
  const widths = HEADERS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const told = notes.map((note, index) => `  (${index + 1}) ${note}`);
  return [section.toUpperCase(), ...lines, ...told, ''].join('\n');
}

function cellsOf(figure: Figure, notes: readonly string[]): string[] {
  const { what, unit, reference, ratio, required, isMet, note } = figure;
  const mark = note === undefined ? '' : ` (${notes.indexOf(note) + 1})`;
  return [
    `  ${what}${mark}`,
    `${spoken(figure.figure)} ${unit}`.trim(),
    reference === undefined ? '' : `${spoken(reference)} ${unit}`.trim(),
    ratio === undefined ? '' : `${spoken(ratio)} x`,
    required ?? '',
    required === undefined ? '' : isMet === undefined ? 'not measured' : isMet ? 'pass' : 'FAIL',
  ];
}

/** Three significant digits; whole numbers unchanged. */
function spoken(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
