/**
 * A program: the longest time that the readers of the agent hold its event loop in one turn, in ms of CPU of that thread, printed
 * as `ready <ms>`. Of the thread's own time and not of the clock: what others do meanwhile is no block of ours. While a reading is
 * under way the loop turns without a rest, so that each turn is measured by itself.
 */
import { systemClock } from '../../agent/src/process/clock.ts'
import { createHostDetailsReader, createSampler } from '../../agent/src/samplers/platform.ts'

const ROUNDS = 20

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  let before = cpuMs()
  const turn = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - before)
    before = now
    if (!isDone) setImmediate(turn)
  }
  setImmediate(turn)
  await new Promise((resolve) => void setImmediate(resolve))
  await work()
  await new Promise((resolve) => void setImmediate(resolve))
  isDone = true
  return longest
}

const sampler = createSampler(systemClock, 'linux')
const watch = createHostDetailsReader(systemClock, 'linux', {})
sampler.prime()
await watch.prime()
let longest = 0
for (let round = 0; round < ROUNDS; round++) {
  longest = Math.max(longest, await longestTurnMs(() => sampler.read(60_000)))
  longest = Math.max(longest, await longestTurnMs(() => watch.read()))
}
console.log(`ready ${longest}`)
process.exit(0)
