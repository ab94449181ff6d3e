import { dealt, dealtOut } from '../../stand/sweep.ts';
import { testWishes } from './contract.ts';

// Twelve strikes and ten sources: each strike meets a few calls of each source, and each source a few of the answers.
testWishes({ calls: dealt(24), answers: dealtOut(9) });
