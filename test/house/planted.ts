import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { house } from './tree.ts';

/** A temporary copy of src/ and packages/ with files planted in it, so that nothing forbidden ever stands in the tree itself. */
export class PlantedCopy {
  readonly root = mkdtempSync(join(tmpdir(), 'planted-'));

  constructor() {
    for (const name of ['src', 'packages'])
      cpSync(join(house, name), join(this.root, name), { recursive: true });
    for (const name of ['package.json', 'tsconfig.json']) cpSync(join(house, name), join(this.root, name));
    symlinkSync(join(house, 'node_modules'), join(this.root, 'node_modules'));
  }

  plant(path: string, text: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
