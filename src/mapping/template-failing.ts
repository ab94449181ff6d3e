import { describeFailure, type TemplateProblem } from './render-check.ts';
import { createEngine, renderBounded, type TemplateContext } from './template.ts';

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
