import { LiquidError, type Template as Part } from 'liquidjs';
import type { EntityKind } from '../engine/object.ts';
import { zoneNamed } from '../engine/zone-rules.ts';
import { CONDITION_OFFSET, conditionMistake, conditionTemplate } from './filter-condition.ts';
import { bookingFilters } from './phone-filter.ts';
import { createEngine, renderBounded, type TemplateContext } from './template.ts';
import { TEMPLATE_NAMES } from './template-names.ts';

export interface TemplateProblem {
  readonly message: string;
  /** 1-based, within the template. */
  readonly line?: number;
  readonly column?: number;
}

const NO_GROUND = { region: undefined, serviceNames: () => [] };

/**
 * The first problem of a template, or undefined. With a kind, a name that no object of that kind has is a problem too: a mistyped field
 * would silently leave every title empty.
 */
export function checkTemplate(
  source: string,
  kind?: EntityKind,
  form: 'template' | 'condition' = 'template',
): TemplateProblem | undefined {
  if (form === 'template') return problemIn(source, kind);
  const problem = problemIn(conditionTemplate(source), kind);
  if (problem !== undefined) return shifted(problem, CONDITION_OFFSET);
  const message = conditionMistake(source);
  return message === undefined ? undefined : { message };
}

function problemIn(source: string, kind: EntityKind | undefined): TemplateProblem | undefined {
  const filters = kind === 'booking' ? bookingFilters(NO_GROUND) : {};
  const engine = createEngine({ keepsTypes: false, filters });
  let parts: Part[];
  try {
    parts = engine.parse(source);
  } catch (error) {
    return describeFailure(error);
  }
  const clock = /(['"])(?:now|today)\1\s*\|\s*date/.exec(source);
  if (clock !== null) {
    return {
      message: 'a template must give the same text every time, so it cannot use the time of day',
      ...positionOf(source, clock.index),
    };
  }
  for (const { 1: single, 2: double, index } of source.matchAll(DATE_IN_ZONE)) {
    const zone = single ?? double ?? '';
    if (zoneNamed(zone) !== undefined) continue;
    return { message: `'${zone.slice(0, 60)}' is not a known time zone`, ...positionOf(source, index) };
  }
  if (kind === undefined) return undefined;
  const known = TEMPLATE_NAMES[kind];
  for (const [name, uses] of Object.entries(engine.analyzeSync(parts, { partials: false }).globals)) {
    if (known.includes(name)) continue;
    const at = uses[0]?.location;
    const message = `no ${kind} has a field '${name}'${suggestion(name, known)}`;
    return at === undefined ? { message } : { message, line: at.row, column: at.col };
  }
  return undefined;
}

/** The filter `date` with a format and the name of a zone. */
const DATE_IN_ZONE = /\|\s*date:(?:[^,|}'"]*|\s*'[^']*'\s*|\s*"[^"]*"\s*),\s*(?:'([^']*)'|"([^"]*)")/g;

/** Maps a position in the template made from a condition back to the condition. */
function shifted(problem: TemplateProblem, by: number): TemplateProblem {
  const { line, column } = problem;
  return line === 1 && column !== undefined ? { ...problem, column: Math.max(1, column - by) } : problem;
}

/** Liquid's message about a template, and its position. */
function describeFailure(error: unknown): TemplateProblem {
  if (!(error instanceof LiquidError))
    return { message: error instanceof Error ? error.message : 'does not parse' };
  const [line, column] = error.token.getPosition();
  const message = error.message.replace(/, (?:file:\S+, )?line:\d+, col:\d+$/, '');
  return line === undefined || column === undefined ? { message } : { message, line, column };
}

function positionOf(source: string, index: number): { line: number; column: number } {
  const before = source.slice(0, index).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function suggestion(name: string, known: readonly string[]): string {
  const near = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate) }))
    .filter(({ candidate, distance }) => distance <= 2 || candidate.endsWith(`_${name}`))
    .sort((a, b) => a.distance - b.distance)[0];
  return near === undefined ? '' : `; did you mean '${near.candidate}'?`;
}

/** Levenshtein distance: counts inserted, deleted and replaced characters. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/**
 * Why a template that parses cannot be rendered for this object, with line and column; undefined when it can. The message may quote values
 * of the context, so pass a context that may be shown.
 */
export function renderingProblem(source: string, context: TemplateContext): TemplateProblem | undefined {
  const engine = createEngine({ keepsTypes: false });
  try {
    renderBounded(engine, engine.parse(source), context);
    return undefined;
  } catch (error) {
    return describeFailure(error);
  }
}
