import type { Socket } from 'node:dgram'
import { OWN_METRICS } from '@vedette/shared/entities/limits'
import { type Clock, random } from '../../process/clock.ts'
import { LISTEN_ADDRESS } from '../../config/config-settings.ts'
import { type Log, messageOf } from '../../process/log.ts'
import { FaultLog } from '../fault-log.ts'
import { toReading } from '../reading.ts'
import type { EntityReading, EntitySource } from '../source.ts'
import type { Series } from './exposition.ts'
import { StatsdMetrics } from './statsd.ts'
import { readTextfiles } from './textfiles.ts'

export interface OwnMetricsConfig {
  textfileDir?: string | undefined
  /** Address and port. */
  statsdListen?: string | undefined
  ownMetricsMax?: number | undefined
}

/** The host's own metrics: from text files first, then from StatsD, as many as the config allows. */
export class OwnMetricsSource implements EntitySource {
  readonly name = 'own metrics'
  readonly #clock: Clock
  readonly #faults: FaultLog
  readonly #folder: string | undefined
  readonly #maximum: number
  readonly #statsd: StatsdMetrics
  readonly #socket: Socket | undefined
  #socketFault: string | undefined
  #takenAtMs: number

  constructor(clock: Clock, log: Log, { textfileDir, statsdListen, ownMetricsMax }: OwnMetricsConfig) {
    this.#clock = clock
    this.#faults = new FaultLog(log)
    this.#folder = textfileDir
    this.#maximum = ownMetricsMax ?? OWN_METRICS.default
    this.#statsd = new StatsdMetrics(this.#maximum, random)
    this.#takenAtMs = clock.monotonicMs()
    this.#socket = statsdListen === undefined ? undefined : this.#listen(statsdListen)
  }

  /** Where StatsD listens, once it does. */
  get port(): number | undefined {
    try {
      return this.#socket?.address().port
    } catch {
      return undefined
    }
  }

  async read(): Promise<EntityReading[]> {
    this.#faults.begin()
    const readings: EntityReading[] = []
    const known = new Set<string>()
    const add = (series: readonly Series[], source: string) => {
      for (const { name, value, type, help } of series) {
        if (known.has(name)) continue
        known.add(name)
        if (readings.length < this.#maximum) readings.push(toReading('metric', name, { value }, { type, source, help }))
      }
    }
    if (this.#folder !== undefined) add(await this.#textfiles(this.#folder), 'textfile')
    add(this.#takeStatsd(), 'statsd')
    if (known.size > this.#maximum)
      this.#faults.add(`more than ${this.#maximum} own metrics: the rest is left out`, { setting: 'own_metrics_max' })
    if (this.#socketFault !== undefined) this.#faults.add('StatsD does not listen', { reason: this.#socketFault })
    return readings
  }

  close(): void {
    this.#socket?.close()
  }

  async #textfiles(folder: string): Promise<Series[]> {
    try {
      const { series, faults: found } = await readTextfiles(folder)
      for (const { file, line, reason } of found) this.#faults.add(`cannot take ${file} of textfile_dir`, { line, reason })
      return series
    } catch (error) {
      this.#faults.add('cannot read textfile_dir', { reason: messageOf(error) })
      return []
    }
  }

  #takeStatsd(): Series[] {
    const nowMs = this.#clock.monotonicMs()
    const { series, dropped, invalid } = this.#statsd.take(nowMs - this.#takenAtMs)
    this.#takenAtMs = nowMs
    if (dropped > 0) this.#faults.add('StatsD: lines of new metrics above own_metrics_max are dropped')
    if (invalid > 0) this.#faults.add('StatsD: lines in an unknown form are dropped')
    return series
  }

  #listen(address: string): Socket {
    const [, ip, host, port] = LISTEN_ADDRESS.exec(address) ?? []
    const socket = process.getBuiltinModule('node:dgram').createSocket(ip === undefined ? 'udp4' : 'udp6')
    // Takes no part in keeping the process alive.
    socket.unref()
    socket.on('message', (datagram) => this.#statsd.add(datagram.toString()))
    socket.on('error', (error) => {
      this.#socketFault = messageOf(error)
    })
    socket.bind(Number(port), ip ?? host)
    return socket
  }
}
