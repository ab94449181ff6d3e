import { type Liquid, Output, type Template as Part } from 'liquidjs';
import { TerminalError } from '../../domain/errors.ts';
import { wellFormed } from '../../domain/plain-text.ts';
import type { Cell } from '../../domain/sheet-row.ts';
import type { TemplateContext } from './context.ts';
import { createEngine, renderBounded } from './engine.ts';
import { type Destination, escapeFor } from './escape.ts';

export interface Template {
  /** Rendered as text; null and absent values are empty. */
  text(context: TemplateContext): string;
  /** A template that is only one `{{ }}` keeps numbers and booleans; everything else is text. An empty result is null. */
  cell(context: TemplateContext): Cell;
}

/**
 * Both methods throw `TerminalError` (`template-failed`) when the template cannot be rendered for an object. Compiling throws the same for
 * a source that does not parse; `checkTemplate` says more about that beforehand. Values are escaped for their destination.
 */
export function compileTemplate(source: string, destination: Destination = 'text'): Template {
  const escaping = escapeFor(destination, source);
  const typed = createEngine({ keepsTypes: true, escaping });
  const plain = createEngine({ keepsTypes: false, escaping });
  const parts = guarded(() => plain.parse(source));
  // YAML leaves a line break after a block scalar, which must not turn a number into text.
  const trimmed = guarded(() => plain.parse(source.trim()));
  const isLoneOutput = trimmed.length === 1 && trimmed[0] instanceof Output;
  const render = (engine: Liquid, what: Part[], context: TemplateContext): unknown =>
    guarded(() => renderBounded(engine, what, context));
  return {
    // Liquid may cut a character in half.
    text: (context) => wellFormed(String(render(plain, parts, context))),
    cell: (context) => toCell(render(isLoneOutput ? typed : plain, isLoneOutput ? trimmed : parts, context)),
  };
}

function toCell(value: unknown): Cell {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value === null || value === undefined || value === '') return null;
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch {
    // Liquid's message quotes the template and may quote the value. Both must stay out of the log.
    throw new TerminalError(
      'template-failed',
      'a template of the mirror cannot be rendered for this object',
      {
        advice: 'Run `slotbridge check`, and look at the filters that the templates of this mirror use.',
      },
    );
  }
}
