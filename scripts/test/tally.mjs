import { readFileSync } from 'node:fs';

/**
 * Counts passed and failed tests in vitest's JSON report; `code` is vitest's exit code. `skipped`: what the suites are called that cannot
 * run on this machine.
 */
export function countTests(file, code) {
  const report = readReport(file);
  const brokenFiles = report.testResults.filter(isBrokenFile).length;
  const failed = report.numFailedTests + brokenFiles;
  // Errors outside any test, or a missing report: vitest shows them only in its exit code.
  const untold = code !== 0 && failed === 0 ? 1 : 0;
  return { passed: report.numPassedTests, failed: failed + untold, skipped: skippedSuites(report) };
}

/** A suite that lacks a program gives the reason as its name: `skipped: no radicale here`. */
function skippedSuites({ testResults }) {
  const suites = testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ ancestorTitles }) => ancestorTitles?.[0] ?? ''),
  );
  return [...new Set(suites)].filter((each) => each.startsWith('skipped: '));
}

/** A file that could not be loaded, or whose hooks failed, has failed without a failing test. */
function isBrokenFile({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((result) => result.status === 'failed');
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, testResults: [] };
  }
}
