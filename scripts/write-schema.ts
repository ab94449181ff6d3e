// Writes config/schema.json from the schema of the configuration: `npm run schema`.
import { writeFileSync } from 'node:fs';
import { configJsonSchemaText } from '../src/mapping/json-schema.ts';

writeFileSync(new URL('../config/schema.json', import.meta.url), configJsonSchemaText());
