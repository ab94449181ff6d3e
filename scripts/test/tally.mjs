import { readFileSync } from 'node:fs';

/** How many tests passed and failed, out of vitest's JSON report; `code` is the exit code it ended with. */
export function countTests(file, code) {
  const report = readReport(file);
  const brokenFiles = report.testResults.filter(isBrokenFile).length;
  const failed = report.numFailedTests + brokenFiles;
  // Errors outside of any test, or no report at all: vitest says it in its exit code only.
  const untold = code !== 0 && failed === 0 ? 1 : 0;
  return { passed: report.numPassedTests, failed: failed + untold };
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
