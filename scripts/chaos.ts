// `npm run chaos`: runs whole workers under random faults and human edits, and judges the result. See
// docs/chaos.md.
import { main } from '@slotbridge/rehearsal/chaos/main';

process.exitCode = await main(process.argv.slice(2));
