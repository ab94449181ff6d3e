import { visit } from 'yaml';
import type { ConfigDocument } from './document.ts';
import type { Advice, ProblemList } from './problem.ts';

/** YAML errors that leave the rest of the tree intact. */
const HARMLESS = new Set(['NON_STRING_KEY', 'TAG_RESOLVE_FAILED']);

const VALUES_READ_AS_NAMES = new Set(['BLOCK_AS_IMPLICIT_KEY', 'MULTILINE_IMPLICIT_KEY']);

/** How many faults are examined: locating each costs a walk through the tree, and nobody fixes more in one go. */
const FAULTS_MAX = 100;
/** How deeply groups may nest: without a limit, the parser needs quadratic time or all of the memory. */
const DEPTH_MAX = 500;
/** How many lists may begin on one line, as in `- - - x`. */
const LISTS_PER_LINE_MAX = 100;

/** True for a text that must not reach the parser. Ignores quotes: no real file has that many open brackets. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let lists = 0;
  let isLineStart = true;
  for (const character of text) {
    if (character === '\n') {
      isLineStart = true;
      lists = 0;
    } else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth = Math.max(0, depth - 1);
    else if (isLineStart && '-?:'.includes(character)) lists += 1;
    if (depth > DEPTH_MAX || lists > LISTS_PER_LINE_MAX) return true;
    if (!' \n-?:'.includes(character)) isLineStart = false;
  }
  return false;
}

/** Reports the parser's errors. Returns false when the rest of the file is no longer reliable. */
export function reportSyntax(document: ConfigDocument, problems: ProblemList): boolean {
  const stumbled = new Set<number>();
  let trusted = true;
  const faults = document.faults.toSorted((a, b) => a.pos[0] - b.pos[0]);
  for (const fault of faults.slice(0, FAULTS_MAX)) {
    const { path, place } = locate(document, fault);
    if (fault.code === 'DUPLICATE_KEY') {
      problems.add(path, place, { what: 'is written twice in the same group', fix: 'keep one of the two' });
      continue;
    }
    // One mistake makes the parser fail several times in its line, and sometimes in every line after it. Only the first report is useful.
    // An unquoted template affects its own line only.
    const isFollowUp = stumbled.has(place.line) || (!trusted && fault.code === 'UNEXPECTED_TOKEN');
    if (!isFollowUp) problems.add(path, place, advise(document, fault, place.line));
    if (!HARMLESS.has(fault.code) && !(isFollowUp && fault.code === 'UNEXPECTED_TOKEN')) trusted = false;
    stumbled.add(place.line);
  }
  return faults.length <= FAULTS_MAX && reportTraps(document, problems) && trusted;
}

/** The parser reports an unclosed quote at the end of the file; people need to know where it begins. */
function locate(
  document: ConfigDocument,
  fault: { readonly code: string; readonly pos: readonly [number, number] },
) {
  const [offset] = fault.pos;
  const isWithin = fault.code !== 'MISSING_CHAR' || offset < document.text.length;
  const path = document.pathAt(isWithin ? offset : offset - 1);
  // The parser may have read a value as a name. The path would print it, and it may be an API key.
  if (VALUES_READ_AS_NAMES.has(fault.code) || (fault.code === 'MISSING_CHAR' && document.isBare(path))) {
    return { path: path.slice(0, -1), place: document.placeAt(Math.min(offset, document.text.length - 1)) };
  }
  if (isWithin) return { path, place: document.placeAt(offset) };
  return { path, place: document.placeOf(path) };
}

/** Reports correct YAML that cannot be read: aliases without an anchor, and the name `__proto__`, which JavaScript reserves. */
function reportTraps(document: ConfigDocument, problems: ProblemList): boolean {
  let found = true;
  let unresolved = 0;
  visit(document.document, {
    Alias: (_, node) => {
      if (document.aliased(node) !== undefined) return undefined;
      unresolved += 1;
      if (unresolved > FAULTS_MAX) return visit.BREAK;
      found = false;
      const offset = node.range?.[0] ?? 0;
      problems.add(document.pathAt(offset), document.placeAt(offset), {
        what: 'this alias refers to an anchor that is not above it',
        fix: 'write & and its name where it is defined, or put the text in quotes if it only begins with a *',
      });
      return undefined;
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
  if (/^[^{[]*[{[].*[\s,[]\$\{/.test(text)) {
    return {
      what: 'a variable stands without quotes inside { } or [ ], and YAML reads its braces as a group',
      fix: `put quotes around it: "\${NAME}"`,
    };
  }
  if (fault.code === 'TAB_AS_INDENT') {
    return { what: 'the line is indented with a tab', fix: 'indent with spaces: YAML allows no tabs there' };
  }
  return adviceOn(fault.code);
}

/** Uses its own wording: the parser's messages quote the line, which may contain an API key. */
function adviceOn(code: string): Advice {
  switch (code) {
    case 'MISSING_CHAR':
      return {
        what: 'YAML misses a closing quote or bracket, or a colon',
        fix: 'close the quote or the bracket that was opened before this place, or write ": " after the name',
      };
    case 'BAD_SCALAR_START':
      return {
        what: 'YAML does not allow a text to begin with this character',
        fix: 'put quotes around the text',
      };
    case 'BAD_INDENT':
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return {
        what: 'YAML cannot tell to which setting this line belongs',
        fix: 'check the indentation of this line and the one above; a text with ": " in it needs quotes',
      };
    case 'TAG_RESOLVE_FAILED':
      return { what: 'YAML does not know this tag', fix: 'remove the tag, the word that begins with !' };
    case 'BAD_DQ_ESCAPE':
      return {
        what: 'YAML does not know this escape inside double quotes',
        fix: 'write \\\\ for a backslash, or use single quotes',
      };
    default:
      return {
        what: 'YAML cannot be read here',
        fix: 'check quotes, brackets and indentation around this place',
      };
  }
}
