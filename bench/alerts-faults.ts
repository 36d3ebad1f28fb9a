/**
 * What happens to tellings when whoever sends them dies, one JSON line:
 *
 *   npm run faults:telling -- [--runs 100]
 *
 * K1  `vedette work` judges and sends; a monitor changes its status, and up to 400 ms later the worker is killed (SIGKILL). The next
 *     one takes up what it left. Every change is told at least once, and always under the same id: `missing` and `underAnotherId` are 0.
 *     Leases of the dead are ended at once, so that a run does not wait 30 s for them. The receiver takes up to 100 ms to answer, so
 *     that kills meet requests under way: `repeated` tells how many.
 *
 * Receivers that hang, redirect to private addresses, answer without end or refuse for a day: a driven clock and a real socket do that
 * in `npm test` (backend/src/alerts/test/telling.test.ts).
 */
import { parseArgs } from 'node:util'
import { killSenders } from './src/faults/kill-senders.ts'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '100' } } })
const result = await killSenders(Number(values.runs))
console.log(JSON.stringify(result))
if (!result.passes) process.exitCode = 1
