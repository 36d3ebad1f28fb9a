import { type Clock, settlesWithin } from '../../clock.ts'
import type { Measured } from '../../precision.ts'
import { type CounterReading, ratePerSecond } from '../../rates.ts'
import { type StateCounts, TCP_STATE } from './tcp-states.ts'

/** Listing all sockets costs milliseconds, so the states are in one sample a minute. */
const STATES_EVERY_MS = 60_000
/** Timers are early or late by some ms: the sample nearest to the minute has the states. */
const EARLY_MS = 500
const STATES_WAIT_MS = 400
/** Above this many sockets only the counters are told: the listing would cost more than it is worth. */
export const SOCKET_CEILING = 20_000

/** What is wanted of the lines of TCP in /proc/net/snmp; absent what is not there. */
interface SnmpTcp {
  established: number | undefined
  retransmits: number | undefined
  /** Connections that a reset ended; resets sent to strangers (a port scan) are not among them. */
  resets: number | undefined
}

/** A line of names, then a line of numbers, each behind the name of the protocol. */
export function parseSnmpTcp(text: string): SnmpTcp {
  const start = lineStart(text, 'Tcp: ', 0)
  const names = wordsAt(text, start)
  const numbers = start < 0 ? [] : wordsAt(text, lineStart(text, 'Tcp: ', start + 1))
  const read = (name: string) => {
    const value = Number(numbers[names.indexOf(name)])
    return Number.isFinite(value) ? value : undefined
  }
  return { established: read('CurrEstab'), retransmits: read('RetransSegs'), resets: read('EstabResets') }
}

/** Sockets in use and in TIME_WAIT, from the TCP line of /proc/net/sockstat. */
export function parseSockstat(text: string): { inUse: number; timeWait: number } | undefined {
  const words = wordsAt(text, lineStart(text, 'TCP: ', 0))
  const inUse = Number(words[words.indexOf('inuse') + 1])
  const timeWait = Number(words[words.indexOf('tw') + 1])
  return Number.isInteger(inUse) && Number.isInteger(timeWait) ? { inUse, timeWait } : undefined
}

/** Where the first line from `from` on begins that begins with this; -1 without one. */
function lineStart(text: string, beginning: string, from: number): number {
  if (from === 0 && text.startsWith(beginning)) return 0
  const feed = text.indexOf(`\n${beginning}`, from)
  return feed < 0 ? -1 : feed + 1
}

/** The words of the line that begins at `start`; none at -1. */
function wordsAt(text: string, start: number): string[] {
  if (start < 0) return []
  const feed = text.indexOf('\n', start)
  return text.slice(start, feed < 0 ? text.length : feed).split(' ')
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
    const connected = snmp.established
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

  #rates(snmp: SnmpTcp, maxGapMs: number) {
    const atMs = this.#clock.monotonicMs()
    const retransmits = snmp.retransmits === undefined ? undefined : { total: snmp.retransmits, atMs }
    const resets = snmp.resets === undefined ? undefined : { total: snmp.resets, atMs }
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
