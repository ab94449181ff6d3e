import { isPair, isSeq, visit } from 'yaml';
import { type ConfigDocument, keyText } from './document.ts';
import type { Advice, Path, ProblemList } from './problem.ts';

/**
 * Fills the variables of every text value. It works on parsed scalars, never on raw text, so the content of a variable can neither add a
 * setting nor break the YAML.
 */
export function fillVariables(document: ConfigDocument, env: Environment, problems: ProblemList): void {
  visit(document.document, {
    Scalar: (role, scalar, ancestors) => {
      if (typeof scalar.value !== 'string') return;
      const filled = interpolate(scalar.value, env);
      if (!filled.changed) return;
      const path = pathOf(ancestors, role);
      if (role === 'key') {
        if (scalar.value.includes('${')) {
          problems.add([...path, scalar.value], document.placeAt(scalar.range?.[0] ?? 0), KEYS_ARE_LITERAL);
        }
        return;
      }
      const advice = objection(filled.unset, filled.malformed, env);
      if (advice) problems.add(path, document.placeAt(scalar.range?.[0] ?? 0), advice);
      document.fill(scalar, advice ? '' : filled.text);
    },
  });
}

const KEYS_ARE_LITERAL: Advice = {
  what: 'a variable stands in a name; variables are filled in values only',
  fix: 'write the name itself here',
};

function objection(
  unset: readonly string[],
  malformed: readonly string[],
  env: Environment,
): Advice | undefined {
  const [bad] = malformed;
  if (bad !== undefined) {
    return {
      what: `cannot read ${JSON.stringify(bad)}`,
      fix: `write \${NAME} or \${NAME:-default}, or $$ for a dollar sign that is meant as one`,
    };
  }
  const [first] = unset;
  if (first === undefined) return undefined;
  const isEmpty = unset.length === 1 && Object.hasOwn(env, first) && env[first] === '';
  const names = unset.length === 1 ? `variable ${first} is` : `variables ${unset.join(', ')} are`;
  return {
    what: `the environment ${names} ${isEmpty ? 'empty' : 'not set'}`,
    fix: `set ${unset.join(', ')} before starting, or give a default: \${${first}:-default} (\${${first}:-} for nothing)`,
  };
}

/** A pair among the ancestors gives a key of a map. For a list, the position of the next ancestor gives the index. */
function pathOf(ancestors: readonly unknown[], role: number | string | null): Path {
  const path: (string | number)[] = [];
  for (const [depth, node] of ancestors.entries()) {
    // The caller adds the key when the scalar is a key itself.
    if (isPair(node) && !(role === 'key' && depth === ancestors.length - 1)) path.push(keyText(node));
    if (isSeq(node)) {
      const next = ancestors[depth + 1];
      path.push(next === undefined ? Number(role) : node.items.indexOf(next));
    }
  }
  return path;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The text with its variables filled in, and the expressions that failed. */
interface Interpolated {
  readonly text: string;
  /** True when the text contained a variable or an escaped dollar. */
  readonly changed: boolean;
  /** Names without a value and without a default. */
  readonly unset: readonly string[];
  /** Expressions that are neither `${NAME}` nor `${NAME:-default}`, as written. */
  readonly malformed: readonly string[];
}

/**
 * Fills `${NAME}` and `${NAME:-default}` from the environment; `$$` is one dollar. As in a shell, the default also replaces a variable that
 * is set but empty, and may itself contain variables.
 */
export function interpolate(text: string, env: Environment): Interpolated {
  const faults = { unset: new Set<string>(), malformed: new Set<string>() };
  const filled = expand(text, env, faults);
  return {
    text: filled,
    changed: /\$[${]/.test(text),
    unset: [...faults.unset],
    malformed: [...faults.malformed],
  };
}

interface Faults {
  readonly unset: Set<string>;
  readonly malformed: Set<string>;
}

function expand(text: string, env: Environment, faults: Faults): string {
  let filled = '';
  let at = 0;
  for (;;) {
    const dollar = text.indexOf('$', at);
    if (dollar === -1) return filled + text.slice(at);
    filled += text.slice(at, dollar);
    if (text[dollar + 1] === '{') {
      const end = endOfExpression(text, dollar + 2);
      filled += fillExpression(text.slice(dollar, end), env, faults);
      at = end;
    } else {
      filled += '$';
      at = dollar + (text[dollar + 1] === '$' ? 2 : 1);
    }
  }
}

function fillExpression(expression: string, env: Environment, faults: Faults): string {
  const match = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?\}$/.exec(expression);
  const name = match?.[1];
  if (name === undefined) {
    faults.malformed.add(expression);
    return '';
  }
  // Plain access would find methods of Object.prototype: ${constructor} must count as unset.
  const value = Object.hasOwn(env, name) ? (env[name] ?? '') : '';
  if (value !== '') return value;
  const fallback = match?.[2];
  if (fallback !== undefined) return expand(fallback, env, faults);
  faults.unset.add(name);
  return '';
}

/** Returns the index after the closing brace. Braces within a default, such as a template's, come in pairs. */
function endOfExpression(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}') depth--;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
