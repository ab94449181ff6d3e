import type { LiveReport } from '../domain/live-finding.ts';

/** A table of all findings, with the advice below each line that has one. Ends with a newline. */
export function formatLiveReport(report: LiveReport): string {
  const width = Math.max(0, ...report.findings.map(({ subject }) => subject.length));
  const lines = report.findings.flatMap(({ side, subject, verdict, detail, advice }) => [
    `  ${side.padEnd(9)} ${subject.padEnd(width)}  ${verdict.padEnd(7)}  ${detail}`,
    ...(advice === undefined ? [] : [`      -> ${advice}`]),
  ]);
  const bad = report.findings.filter(({ verdict }) => verdict === 'broken' || verdict === 'unknown').length;
  const end = report.ok ? 'Everything can work.' : `${bad} of ${report.findings.length} cannot work yet.`;
  const text = [`Google knows the worker as ${report.account}.`, ...lines, end].join('\n');
  // Names from elsewhere (tabs, resources) must not move the cursor or colour the screen.
  return `${text.replace(/[^\P{Cc}\n]+/gu, ' ')}\n`;
}
