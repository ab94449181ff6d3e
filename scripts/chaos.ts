// `npm run chaos`: whole workers under random faults and people's hands, and a judge. See docs/chaos.md.
import { main } from '../test/chaos/main.ts';

process.exitCode = await main(process.argv.slice(2));
