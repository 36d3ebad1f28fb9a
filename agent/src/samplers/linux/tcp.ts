import { type Clock, settlesWithin } from '../../process/clock.ts'
import type { Measured } from '../numbers/precision.ts'
import { type CounterReading, ratePerSecond } from '../numbers/rates.ts'
import { type StateCounts, TCP_STATE } from './tcp-states.ts'

/** Listing all sockets takes milliseconds, so the states are in one sample per minute. */
const STATES_EVERY_MS = 60_000
/** Timers are some ms early or late: the sample nearest to the minute has the states. */
const EARLY_MS = 500
const STATES_WAIT_MS = 400
/** Above this many sockets only the counters are read: the listing is too expensive. */
export const SOCKET_CEILING = 20_000

/** The used fields of the TCP lines of /proc/net/snmp; undefined if missing. */
interface SnmpTcp {
  established: number | undefined
  retransmits: number | undefined
  /** Connections ended by a reset; without resets sent to unknown connections (port scans). */
  resets: number | undefined
}

/** A line of names, then a line of numbers, both prefixed with the protocol. */
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

/** Position of the first line from `from` on with this prefix; -1 without one. */
function lineStart(text: string, beginning: string, from: number): number {
  if (from === 0 && text.startsWith(beginning)) return 0
  const feed = text.indexOf(`\n${beginning}`, from)
  return feed < 0 ? -1 : feed + 1
}

/** The words of the line at `start`; none for -1. */
function wordsAt(text: string, start: number): string[] {
  if (start < 0) return []
  const feed = text.indexOf('\n', start)
  return text.slice(start, feed < 0 ? text.length : feed).split(' ')
}

export interface TcpTexts {
  sockstat: string | undefined
  snmp: string | undefined
}

/** Reads counters in every sample, states once per minute; owns the baselines. */
export class TcpSampler {
  readonly #clock: Clock
  readonly #countStates: () => Promise<StateCounts | undefined>
  #statesDueMs = 0
  #isCounting = false
  /** Sockets in CLOSE_WAIT at the last listing: the kernel's counter of established connections includes them. */
  #closeWait = 0
  #retransmits: CounterReading | undefined
  #resets: CounterReading | undefined

  constructor(clock: Clock, countStates: () => Promise<StateCounts | undefined>) {
    this.#clock = clock
    this.#countStates = countStates
  }

  hasPendingCall(): boolean {
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
    // A later result belongs to no sample and is dropped; the next listing starts only after this one has ended.
    return (await settlesWithin(this.#clock, counting, STATES_WAIT_MS)) ? states : undefined
  }
}
