/**
 * Evaluates servers as a backend does, with a clock that its parent sets: for each instant that it is sent it evaluates what is due,
 * and answers with the number of servers. Its share of the servers is that of real time.
 *
 *   node bench/evaluation/evaluating.ts URL
 */
import { createServerEvaluator } from '../../backend/src/alerting/alerts/index.ts'
import { createPool, SLICES } from '../../backend/src/platform/db/index.ts'
import { createShare } from '../../backend/src/platform/db/share.ts'
import { silentLog } from '../../backend/src/platform/logging/log.ts'
import { systemClock } from '../../backend/src/platform/time/clock.ts'

const [url = ''] = process.argv.slice(2)
const pool = createPool({ url, clock: systemClock, log: silentLog, namedStatements: true })
const { db } = pool
let nowMs = 0
const clock = { ...systemClock, now: () => nowMs }
const changes = { on: () => undefined, isHeard: () => true }
const share = createShare({ db, clock: systemClock, changes: { ...changes, isHeard: () => false } }, 'evaluation', {
  holdMs: 4_000,
  dueMs: () => 0,
  wokenBy: [],
})
const evaluator = createServerEvaluator({ db, clock, changes, pushIntervalSeconds: 60, slices: share.slices })

let isBusy = true
const idle = setInterval(() => {
  if (!isBusy && share.isExpiring()) void share.run(async () => undefined)
}, 500)
async function evaluate(atMs: number): Promise<void> {
  isBusy = true
  nowMs = atMs
  await share.run(evaluator.evaluate)
  const owned = await pool.pg.query(`select count(*)::int as count from server where number % ${SLICES} = any($1::int[])`, [
    [...share.slices().ids],
  ])
  isBusy = false
  process.send?.(owned.rows[0].count)
}
async function end(): Promise<void> {
  clearInterval(idle)
  await share.release()
  await pool.end()
  process.exit()
}
process.on('message', (atMs: number) => void evaluate(atMs))
process.once('SIGTERM', () => void end())
await share.run(async () => undefined)
isBusy = false
console.log('ready to evaluate')
