// `npm run -s sbom`: prints a CycloneDX bill of materials of the production packages. `npm sbom --omit dev` leaves out a production
// package that a development package also lists as a peer (yaml). So this script lists all packages and removes the development ones.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const DEVELOPMENT = 'cdx:npm:package:development';
const OUTPUT_MAX = 64 * 2 ** 20;

const cwd = fileURLToPath(new URL('..', import.meta.url));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const all = JSON.parse(
  execFileSync(npm, ['sbom', '--sbom-format', 'cyclonedx'], { cwd, encoding: 'utf8', maxBuffer: OUTPUT_MAX }),
);
const components = all.components.filter(
  ({ properties = [] }) => !properties.some(({ name, value }) => name === DEVELOPMENT && value === 'true'),
);
const kept = new Set([all.metadata.component['bom-ref'], ...components.map((each) => each['bom-ref'])]);
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
console.log(JSON.stringify({ ...all, components, dependencies }, null, 2));
