// Properties try the same cases in every run, so that a red test tells of the change. The soak tests draw new ones.
import fc from 'fast-check';

if (process.env['SLOTBRIDGE_TESTS'] !== 'soak') fc.configureGlobal({ seed: 20_261_128 });
