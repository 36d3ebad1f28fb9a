/**
 * The agent as it is, but for what a test must hold in its hand: the clock, and samples whose values follow from their number.
 * Each number is in the journal before the agent gets the sample, and once more when it has it. Driven by messages of the parent.
 */
import { openSync, writeSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import { type RunningAgent, startAgent } from '../../agent/src/agent.ts'
import { createDns, createLookup } from '../../agent/src/push/resolve-name.ts'
import { readSettings, transportOptions } from '../../agent/src/config/settings.ts'
import { createTransport } from '../../agent/src/push/transport.ts'
import { DrivenClock } from './driven-clock.ts'
import { expectedSample } from './expected.ts'

export interface Order {
  config: string
  stateDir: string
  journal: string
  /** Number of the first sample. */
  firstNumber: number
  /** The wall clock starts so far off and runs so fast; when it has come up with the real one it is that. */
  clock: { offsetMs: number; speed: number }
  memoryBytes?: number
  /** Share of the longest pause between two tries, while the clock runs faster. */
  pastPause?: number
  /** Instead of 15 s. */
  timeoutMs?: number
  /** `address:port` of the only name server. */
  nameServer?: string
}

/** Its messages: it has this sample; its clock has caught up with the real one. */
export type Report = { kept: number } | { isPresent: true }

export type Message = { order: Order } | { jumpMs: number } | { stop: true }

/** The configuration of the test machine does not change the queries to the name server. */
const noSystem: LookupFunction = (name, _options, done) =>
  done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), '')

let starting: Promise<RunningAgent> | undefined
let clock: DrivenClock | undefined

function start(order: Order): void {
  const journal = openSync(order.journal, 'a')
  const driven = new DrivenClock(order.clock, () => process.send?.({ isPresent: true } satisfies Report))
  clock = driven
  let next = order.firstNumber
  const environment = { configPath: order.config, stateDir: order.stateDir, config: {} }
  const settingsNow = () => readSettings(environment, { config: order.config, state: order.stateDir }, undefined)
  starting = settingsNow().then((settings) =>
    startAgent({
      clock: driven,
      settings,
      readSettings: settingsNow,
      transport: createTransport({
        ...transportOptions(settings),
        ...(order.timeoutMs !== undefined && { timeoutMs: order.timeoutMs }),
        ...(order.nameServer !== undefined && { lookup: createLookup(createDns([order.nameServer]), noSystem) }),
      }),
      log: (level, message, fields) => console.log(JSON.stringify({ level, message, ...fields })),
      // Tries follow as soon as they may, and not by chance; in the past, where a second is nothing, they need not.
      random: () => (driven.isPresent ? 0 : (order.pastPause ?? 0.05)),
      ...(order.memoryBytes !== undefined && { limits: { memoryBytes: order.memoryBytes } }),
      sampler: {
        prime: () => undefined,
        read: () => {
          const number = next++
          writeSync(journal, `taken ${number}\n`)
          // The agent has it when this turn of the loop ends: a kill before that is of a sample that was never taken.
          setImmediate(() => {
            writeSync(journal, `kept ${number}\n`)
            process.send?.({ kept: number } satisfies Report)
          })
          return Promise.resolve({ values: expectedSample(number), filesystems: [], interfaces: [] })
        },
        staleMounts: () => [],
        hasPendingCall: () => false,
        close: () => undefined,
      },
    }),
  )
}

process.on('message', (message: Message) => {
  if ('order' in message) start(message.order)
  else if ('jumpMs' in message) clock?.jump(message.jumpMs)
  else void starting?.then((agent) => agent.stop()).then(() => process.exit(0))
})
process.on('disconnect', () => process.exit(0))
