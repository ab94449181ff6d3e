import { visit } from 'yaml';
import type { ConfigDocument } from './document.ts';
import type { Advice, ProblemList } from './problem.ts';

/** Of what YAML finds wrong, that which leaves the rest of the tree as it was meant. */
const HARMLESS = new Set(['NON_STRING_KEY', 'TAG_RESOLVE_FAILED']);

/** Reports what YAML itself objects to. False when the rest of the file can no longer be trusted to mean what it says. */
export function reportSyntax(document: ConfigDocument, problems: ProblemList): boolean {
  const stumbled = new Set<number>();
  let trusted = true;
  for (const fault of document.faults.toSorted((a, b) => a.pos[0] - b.pos[0])) {
    const { path, place } = locate(document, fault);
    if (fault.code === 'DUPLICATE_KEY') {
      problems.add(path, place, { what: 'is written twice in the same group', fix: 'keep one of the two' });
      continue;
    }
    // One slip makes the parser stumble several times in its line, and once it has lost the thread, in every line after
    // it: only the first says something. The slip of a template without quotes ends with its line.
    const isFollowUp = stumbled.has(place.line) || (!trusted && fault.code === 'UNEXPECTED_TOKEN');
    if (!isFollowUp) problems.add(path, place, advise(document, fault, place.line));
    if (!HARMLESS.has(fault.code) && !(isFollowUp && fault.code === 'UNEXPECTED_TOKEN')) trusted = false;
    stumbled.add(place.line);
  }
  return reportTraps(document, problems) && trusted;
}

/** A quote that is never closed is noticed at the end of the file; it is its beginning that has to be found. */
function locate(
  document: ConfigDocument,
  fault: { readonly code: string; readonly pos: readonly [number, number] },
) {
  const [offset] = fault.pos;
  if (fault.code !== 'MISSING_CHAR' || offset < document.text.length) {
    return { path: document.pathAt(offset), place: document.placeAt(offset) };
  }
  const path = document.pathAt(offset - 1);
  return { path, place: document.placeOf(path) };
}

/** What is correct YAML and yet could not be read: aliases of nothing, and the one name that JavaScript keeps for itself. */
function reportTraps(document: ConfigDocument, problems: ProblemList): boolean {
  let found = true;
  visit(document.document, {
    Alias: (_, node) => {
      if (node.resolve(document.document) !== undefined) return;
      found = false;
      const offset = node.range?.[0] ?? 0;
      problems.add(document.pathAt(offset), document.placeAt(offset), {
        what: `*${node.source} refers to an anchor that is not above it`,
        fix: `write &${node.source} where it is defined, or put the text in quotes if it only begins with a *`,
      });
    },
    Scalar: (role, node) => {
      if (role !== 'key' || node.value !== '__proto__') return;
      found = false;
      const offset = node.range?.[0] ?? 0;
      problems.add(document.pathAt(offset), document.placeAt(offset), {
        what: 'is a name that cannot be used',
        fix: 'choose another one',
      });
    },
  });
  return found;
}

function advise(
  document: ConfigDocument,
  fault: { readonly code: string; readonly message: string },
  line: number,
): Advice {
  if (fault.code === 'MULTIPLE_DOCS') {
    return {
      what: 'a second document begins here',
      fix: 'keep one: remove the line --- and what follows it',
    };
  }
  const text = document.text.split(/\r?\n/)[line - 1] ?? '';
  if (/[:[,-]\s*\{\{/.test(text)) {
    return {
      what: 'a template stands without quotes, and YAML reads its braces as a group',
      fix: 'put quotes around the whole of it: "{{ name }}"',
    };
  }
  if (/[{[].*[\s,[]\$\{/.test(text)) {
    return {
      what: 'a variable stands without quotes inside { } or [ ], and YAML reads its braces as a group',
      fix: `put quotes around it: "\${NAME}"`,
    };
  }
  if (fault.code === 'TAB_AS_INDENT') {
    return { what: 'the line is indented with a tab', fix: 'indent with spaces: YAML allows no tabs there' };
  }
  return { what: `YAML cannot be read here: ${fault.message}`, fix: fixOf(fault.code) };
}

function fixOf(code: string): string {
  switch (code) {
    case 'MISSING_CHAR':
      return 'close the quote or the bracket that was opened before this place';
    case 'BAD_SCALAR_START':
      return 'put quotes around the text';
    case 'BAD_INDENT':
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return 'check the indentation of this line and the one above; a text with ": " in it needs quotes';
    case 'TAG_RESOLVE_FAILED':
      return 'remove the tag, the word that begins with !';
    default:
      return 'check quotes, brackets and indentation around this place';
  }
}
