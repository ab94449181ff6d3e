// `npm run -s sbom`: prints a CycloneDX bill of materials of the packages whose code is in dist/, with npm's names and hashes.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundle, packagesIn } from './bundle.mjs';

/** npm's mark of what only a clone needs, and it needs all of them: what is in dist/ is installed nowhere else. */
const DEVELOPMENT = 'cdx:npm:package:development';
const OUTPUT_MAX = 64 * 2 ** 20;

const cwd = fileURLToPath(new URL('..', import.meta.url));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const all = JSON.parse(
  execFileSync(npm, ['sbom', '--sbom-format', 'cyclonedx'], { cwd, encoding: 'utf8', maxBuffer: OUTPUT_MAX }),
);
const { metafile } = await build({ ...bundle, write: false });
const bundled = new Set(packagesIn(metafile).map(({ name, version }) => `${name}@${version}`));
// npm takes names from folders, which are wrong for a clone of another name and for a package installed under another name.
const named = (each) => ({ ...each, name: each['bom-ref'].slice(0, each['bom-ref'].lastIndexOf('@')) });
const components = all.components
  .filter(({ 'bom-ref': ref }) => bundled.has(ref))
  .map(({ properties = [], ...each }) => ({
    ...named(each),
    properties: properties.filter(({ name }) => name !== DEVELOPMENT),
  }));
const kept = new Set([all.metadata.component['bom-ref'], ...bundled]);
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => kept.has(each)) }));
const metadata = { ...all.metadata, component: named(all.metadata.component) };
console.log(JSON.stringify({ ...all, metadata, components, dependencies }, null, 2));
