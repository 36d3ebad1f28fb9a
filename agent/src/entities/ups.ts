import type { Socket } from 'node:net'
import { type Clock, settlesWithin } from '../process/clock.ts'
import { UPS_ADDRESS } from '../config/config-settings.ts'
import { createLookup } from '../push/resolve-name.ts'
import { toNumber } from './device-files.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

const DEFAULT_PORT = 3493
/** Below the collector's limit, so that the fault names the UPS. */
const WAIT_MS = 4_000
/** Far above the variables of any UPS. */
const MAX_ANSWER_BYTES = 65_536

/** Variables by name; undefined while the list is not complete. Throws an error of the server. */
export function parseVariables(text: string): Map<string, string> | undefined {
  const error = /^ERR (.*)$/m.exec(text)?.[1]
  if (error !== undefined) throw new Error(`upsd answers ${error}`)
  if (!/^END LIST VAR /m.test(text)) return undefined
  const lines = text.matchAll(/^VAR \S+ (\S+) "((?:[^"\\]|\\.)*)"$/gm)
  return new Map(Array.from(lines, ([, name = '', value = '']) => [name, value.replaceAll(/\\(.)/g, '$1')]))
}

/** One UPS, named as in the config, by the network protocol of NUT: no login, one command. */
export class UpsSource implements EntitySource {
  readonly name: string
  readonly optional = 'ups'
  readonly #clock: Clock
  readonly #address: string

  constructor(clock: Clock, address: string) {
    this.name = `UPS ${address}`
    this.#clock = clock
    this.#address = address
  }

  async read(): Promise<EntityReading[]> {
    const [, ups = '', ip, host, port = DEFAULT_PORT] = UPS_ADDRESS.exec(this.#address) ?? []
    const socket = process
      .getBuiltinModule('node:net')
      .connect({ host: ip ?? host ?? '', port: Number(port), lookup: createLookup() })
    const listing = listVariables(socket, ups)
    const isInTime = await settlesWithin(this.#clock, listing, WAIT_MS)
    socket.destroy()
    if (!isInTime) throw new Error(`no answer within ${WAIT_MS / 1_000} s`)
    return [toUpsReading(this.#address, await listing)]
  }
}

async function listVariables(socket: Socket, ups: string): Promise<Map<string, string>> {
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>()
  let text = ''
  socket.setEncoding('utf8')
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('upsd closed the connection')))
  socket.on('data', (piece: string) => {
    text += piece
    try {
      if (text.length > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
      const variables = parseVariables(text)
      if (variables) resolve(variables)
    } catch (error) {
      reject(error)
    }
  })
  socket.write(`LIST VAR ${ups}\n`)
  return promise
}

function toUpsReading(name: string, variables: ReadonlyMap<string, string>): EntityReading {
  const number = (key: string) => toNumber(variables.get(key))
  const status = variables.get('ups.status')
  const flags = new Set(status?.split(' '))
  // Neither while the driver starts (WAIT).
  const isKnown = flags.has('OL') || flags.has('OB')
  const flag = (wanted: string) => (isKnown ? Number(flags.has(wanted)) : undefined)
  return toReading(
    'battery',
    name,
    {
      charge_percent: number('battery.charge'),
      runtime_seconds: number('battery.runtime'),
      on_battery: flag('OB'),
      low_battery: flag('LB'),
      load_percent: number('ups.load'),
      voltage_volts: number('battery.voltage'),
      power_watts: number('ups.realpower'),
    },
    {
      type: 'ups',
      model: [variables.get('device.mfr'), variables.get('device.model')].filter(Boolean).join(' '),
      state: status,
    },
  )
}
