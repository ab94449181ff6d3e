// `npm run chaos`: runs whole workers under random faults and human edits, and judges the result. See
// docs/chaos.md.
import { main } from '../test/chaos/main.ts';

process.exitCode = await main(process.argv.slice(2));
