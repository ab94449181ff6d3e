import type { AlertCondition, AlertName } from '../../domain/alert.ts';
import { maskText } from '../personal-data.ts';
import type { ProblemReport } from '../status-report.ts';

/** Converts a current problem to an alert. */
export function problemConditions(problem: ProblemReport): AlertCondition {
  const { target, code } = problem;
  const told = tell(problem);
  return { alert: nameOf(problem), subject: `${maskText(target)} ${code}`, ...told, ...own(problem) };
}

function nameOf({ target, code }: ProblemReport): AlertName {
  if (target === 'platform') return 'platform-refused';
  if (target === 'webhook-endpoint') return 'endpoint';
  return target === 'google' || code.startsWith('google-') ? 'google-refused' : 'problem';
}

function tell({ target, code, message, advice }: ProblemReport): { text: string; advice: string } {
  return {
    text: maskText(`${target}: ${message} (${code})`),
    advice: maskText(advice ?? 'Run `slotbridge status`.'),
  };
}

/** Replaces the texts of the mapping's own problems: their target and advice name resources, which are people. */
function own({ target, code }: ProblemReport): Partial<AlertCondition> {
  const [, mirror] = /^mapping:([^/]+)\//.exec(target) ?? [];
  if (mirror === undefined) return {};
  return {
    subject: `mapping:${mirror} ${code}`,
    text: `mapping:${mirror}: a name in the mapping no longer matches exactly one resource (${code})`,
    advice: 'Run `slotbridge status`: it shows the resource and what to do.',
  };
}
