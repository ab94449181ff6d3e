export type Environment = Readonly<Record<string, string | undefined>>;

/** The text with its variables filled in, and the expressions that failed. */
export interface Interpolated {
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
