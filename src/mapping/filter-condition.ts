// The `if` line of a filter: a Liquid condition over the fields that templates see, compiled once.
import { type Liquid, Tokenizer, TypeGuards } from 'liquidjs';
import type { Condition } from '../engine/mirror.ts';
import { conditionFailed } from './filter-lines.ts';
import { createEngine, renderBounded, sheetContext, type TemplateContext } from './template.ts';

const YES = 'yes';
const BEFORE = '{% if ';

/** Wraps a condition in a template that renders yes where it holds. */
export function conditionTemplate(condition: string): string {
  return `${BEFORE}${condition} %}${YES}{% endif %}`;
}

/** Number of characters before the condition in that template. */
export const CONDITION_OFFSET = BEFORE.length;

const compiled = new Map<string, Condition>();
/** Most conditions in the cache; more than any file has, with 200 mirrors. */
const COMPILED_MAX = 1_000;

/** Throws `TerminalError` `condition-failed` for a condition that does not parse. */
export function compileCondition(source: string): Condition {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  const condition = new CompiledCondition(source);
  if (compiled.size >= COMPILED_MAX) compiled.clear();
  compiled.set(source, condition);
  return condition;
}

/** Two conditions with the same source are equal. */
class CompiledCondition implements Condition {
  readonly source: string;
  readonly #holds: Holds;

  constructor(source: string) {
    this.source = source;
    this.#holds = compile(source);
  }

  judge({ kind, snapshot, directory }: Parameters<Condition['judge']>[0]) {
    return this.#holds(sheetContext(kind, snapshot, { directory, timezone: undefined, deleted: false }));
  }
}

type Holds = (context: TemplateContext) => ReturnType<Condition['judge']>;

function compile(source: string): Holds {
  const engine = createEngine({ keepsTypes: false });
  try {
    const parts = engine.parse(conditionTemplate(source));
    const names = Object.keys(engine.analyzeSync(parts, { partials: false }).globals);
    return (context) => {
      if (names.some((name) => !isKnown(context, name))) return 'unknown';
      try {
        return renderBounded(engine, parts, context) === YES ? 'yes' : 'no';
      } catch {
        return 'failed';
      }
    };
  } catch {
    throw conditionFailed();
  }
}

function isKnown(context: TemplateContext, name: string): boolean {
  return Object.hasOwn(context, name) && context[name] !== undefined;
}

/**
 * Finds what Liquid silently ignores: it reads `a >` and `a == 1 b`, and drops the rest. Undefined when nothing is wrong. Only for a
 * condition that parses.
 */
export function conditionMistake(source: string): string | undefined {
  if (['{%', '%}', '{{', '}}'].some((mark) => source.includes(mark)))
    return 'a condition stands alone, without {% %} or {{ }}';
  const operators: string[] = [];
  let wantsOperand = true;
  for (const token of tokensOf(source)) {
    const text = token.getText();
    if (TypeGuards.isOperatorToken(token)) {
      const isPrefix = text === 'not';
      if (isPrefix !== wantsOperand) return `${text} has nothing to compare`;
      if (!isPrefix) wantsOperand = true;
      operators.push(text);
      continue;
    }
    if (!wantsOperand) return 'two values stand side by side: put a comparison, and, or or between them';
    const isOpen = text.length < 2 || text.at(-1) !== text[0];
    if (TypeGuards.isQuotedToken(token) && isOpen) return 'a quote is not closed';
    wantsOperand = false;
  }
  if (wantsOperand) return 'ends before it compares anything';
  if (operators.includes('and') && operators.includes('or'))
    return 'and and or together read from right to left in Liquid: use one of the two';
  return undefined;
}

/** Empty for a source that does not parse, because Liquid's own error says more. */
function tokensOf(source: string) {
  engineForOperators ??= createEngine({ keepsTypes: false });
  try {
    return [...new Tokenizer(source, engineForOperators.options.operators).readExpressionTokens()];
  } catch {
    return [];
  }
}

let engineForOperators: Liquid | undefined;
