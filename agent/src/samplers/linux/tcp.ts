import { type Clock, settlesWithin } from '../../clock.ts'
import type { Measured } from '../../precision.ts'
import { type CounterReading, ratePerSecond } from '../../rates.ts'
import { eachLine } from './text.ts'
import { type StateCounts, TCP_STATE } from './tcp-states.ts'

/** Listing all sockets costs milliseconds, so the states are in one sample a minute. */
const STATES_EVERY_MS = 60_000
/** Timers are early or late by some ms: the sample nearest to the minute has the states. */
const EARLY_MS = 500
const STATES_WAIT_MS = 400
/** Above this many sockets only the counters are told: the listing would cost more than it is worth. */
export const SOCKET_CEILING = 20_000

/** The values of one protocol's lines in the layout of /proc/net/snmp: a line of names, then a line of numbers. */
export function parseSnmpTcp(text: string): Map<string, number> {
  const values = new Map<string, number>()
  const names = /^Tcp: (\D.*)$/m.exec(text)?.[1]?.split(' ') ?? []
  const numbers = /^Tcp: (-?\d.*)$/m.exec(text)?.[1]?.split(' ') ?? []
  names.forEach((name, index) => {
    const value = Number(numbers[index])
    if (Number.isFinite(value)) values.set(name, value)
  })
  return values
}

/** Sockets in use and in TIME_WAIT, from the TCP line of /proc/net/sockstat. */
export function parseSockstat(text: string): { inUse: number; timeWait: number } | undefined {
  let found: { inUse: number; timeWait: number } | undefined
  eachLine(text, (start, end) => {
    if (!text.startsWith('TCP: ', start)) return
    const words = text.slice(start, end).split(' ')
    const inUse = Number(words[words.indexOf('inuse') + 1])
    const timeWait = Number(words[words.indexOf('tw') + 1])
    if (Number.isInteger(inUse) && Number.isInteger(timeWait)) found = { inUse, timeWait }
  })
  return found
}

export interface TcpTexts {
  sockstat: string | undefined
  snmp: string | undefined
}

/** Counters in every sample, states once a minute; owns the baselines. */
export class TcpSampler {
  readonly #clock: Clock
  readonly #countStates: () => Promise<StateCounts | undefined>
  #statesDueMs = 0
  #isCounting = false
  /** Sockets in CLOSE_WAIT at the newest listing: the kernel's counter of established ones includes them. */
  #closeWait = 0
  #retransmits: CounterReading | undefined
  #resets: CounterReading | undefined

  constructor(clock: Clock, countStates: () => Promise<StateCounts | undefined>) {
    this.#clock = clock
    this.#countStates = countStates
  }

  hasCallOut(): boolean {
    return this.#isCounting
  }

  prime(texts: TcpTexts): void {
    this.#rates(parseSnmpTcp(texts.snmp ?? ''), Number.MAX_SAFE_INTEGER)
  }

  async read(texts: TcpTexts, maxGapMs: number): Promise<Measured<'tcp'>> {
    const sockstat = texts.sockstat === undefined ? undefined : parseSockstat(texts.sockstat)
    const snmp = parseSnmpTcp(texts.snmp ?? '')
    const rates = this.#rates(snmp, maxGapMs)
    const states = await this.#statesWhenDue(sockstat)
    if (states) this.#closeWait = states[TCP_STATE.closeWait] ?? 0
    const connected = snmp.get('CurrEstab')
    return {
      established: connected === undefined ? states?.[TCP_STATE.established] : Math.max(0, connected - this.#closeWait),
      time_wait: sockstat?.timeWait ?? states?.[TCP_STATE.timeWait],
      syn_sent: states?.[TCP_STATE.synSent],
      syn_recv: states?.[TCP_STATE.synRecv],
      fin_wait: states && (states[TCP_STATE.finWait1] ?? 0) + (states[TCP_STATE.finWait2] ?? 0),
      close_wait: states?.[TCP_STATE.closeWait],
      last_ack: states?.[TCP_STATE.lastAck],
      listen: states?.[TCP_STATE.listen],
      closing: states?.[TCP_STATE.closing],
      ...rates,
    }
  }

  #rates(snmp: Map<string, number>, maxGapMs: number) {
    const atMs = this.#clock.monotonicMs()
    const read = (name: string): CounterReading | undefined => {
      const total = snmp.get(name)
      return total === undefined ? undefined : { total, atMs }
    }
    const retransmits = read('RetransSegs')
    // Connections that a reset ended; resets sent to strangers (a port scan) are not among them.
    const resets = read('EstabResets')
    const rates = {
      retransmits_per_sec: retransmits && ratePerSecond(this.#retransmits, retransmits, maxGapMs),
      resets_per_sec: resets && ratePerSecond(this.#resets, resets, maxGapMs),
    }
    this.#retransmits = retransmits
    this.#resets = resets
    return rates
  }

  async #statesWhenDue(sockstat: { inUse: number; timeWait: number } | undefined): Promise<StateCounts | undefined> {
    const nowMs = this.#clock.monotonicMs()
    if (this.#isCounting || nowMs < this.#statesDueMs) return undefined
    this.#statesDueMs = nowMs + STATES_EVERY_MS - EARLY_MS
    if (sockstat && sockstat.inUse + sockstat.timeWait > SOCKET_CEILING) {
      this.#closeWait = 0
      return undefined
    }
    this.#isCounting = true
    let states: StateCounts | undefined
    const count = async () => {
      states = await this.#countStates()
      this.#isCounting = false
    }
    const counting = count()
    // A listing that comes later than this belongs to no sample: it is dropped, and no other begins before it has ended.
    return (await settlesWithin(this.#clock, counting, STATES_WAIT_MS)) ? states : undefined
  }
}
