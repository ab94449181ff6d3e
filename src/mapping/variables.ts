import { isPair, isScalar, isSeq, type Pair, visit } from 'yaml';
import type { ConfigDocument } from './document.ts';
import { type Environment, interpolate } from './interpolate.ts';
import type { Path } from './path.ts';
import type { Advice, ProblemList } from './problem.ts';

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
    if (isPair(node) && !(role === 'key' && depth === ancestors.length - 1)) path.push(pairKey(node));
    if (isSeq(node)) {
      const next = ancestors[depth + 1];
      path.push(next === undefined ? Number(role) : node.items.indexOf(next));
    }
  }
  return path;
}

function pairKey(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}
