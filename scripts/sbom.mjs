// `npm run -s sbom`: prints a CycloneDX bill of materials of the production packages. `npm sbom --omit dev` leaves out a production
// package that a development package also lists as a peer (yaml). So this script lists all packages and removes the development ones.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const DEVELOPMENT = 'cdx:npm:package:development';
/** Packages of this repository: the build puts them into dist/, as it does the worker. */
const OWN = '@slotbridge/';
const OUTPUT_MAX = 64 * 2 ** 20;

const cwd = fileURLToPath(new URL('..', import.meta.url));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const all = JSON.parse(
  execFileSync(npm, ['sbom', '--sbom-format', 'cyclonedx'], { cwd, encoding: 'utf8', maxBuffer: OUTPUT_MAX }),
);
// npm takes names from folders, which are wrong for a clone of another name and for a package installed under another name.
const named = (each) => ({ ...each, name: each['bom-ref'].slice(0, each['bom-ref'].lastIndexOf('@')) });
const components = all.components
  .filter(
    ({ 'bom-ref': ref, properties = [] }) =>
      !ref.startsWith(OWN) && !properties.some(({ name, value }) => name === DEVELOPMENT && value === 'true'),
  )
  .map(named);
const kept = new Set([all.metadata.component['bom-ref'], ...components.map((each) => each['bom-ref'])]);
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
const metadata = { ...all.metadata, component: named(all.metadata.component) };
console.log(JSON.stringify({ ...all, metadata, components, dependencies }, null, 2));
