import { ConfigDocument } from './document.ts';
import type { Environment } from './interpolate.ts';
import type { ConfigSource } from './load.ts';
import { sayInTemplate, type TemplateProblem } from './mirrors/check.ts';
import { type ConfigError, ProblemList } from './problem.ts';
import { fillVariables } from './variables.ts';

/** Templates that failed to render for an object, each with its place in the file. The file has passed all checks. */
export function failedTemplates(
  source: ConfigSource,
  env: Environment,
  failed: readonly (TemplateProblem & { readonly path: readonly string[] })[],
): ConfigError {
  const document = new ConfigDocument(source.text);
  const problems = new ProblemList();
  // Marks the values that came from variables, which are never shown.
  fillVariables(document, env, problems);
  for (const { path, ...problem } of failed) {
    const value = [...path, 'value'];
    const isGroup = document.keysAt(path).includes('value');
    sayInTemplate(isGroup ? value : path, problem, { document, problems });
  }
  return problems.toError(source.path);
}
