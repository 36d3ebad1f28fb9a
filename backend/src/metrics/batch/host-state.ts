import { type Filesystem, MAX_FILESYSTEMS, MAX_INTERFACES, type MetricUnit, type NetworkInterface } from '@vedette/shared'
import { fromScaled, toScaled } from '../block/index.ts'
import { below, type Faults, type Fields, isFields } from './faults.ts'
import { readText } from './texts.ts'

/** The filesystems of a batch, undefined when it tells none. Only known fields are kept, rounded as samples are. */
export function readFilesystems(batch: Fields, path: string, faults: Faults): Filesystem[] | undefined {
  return readEntries(batch, 'filesystems', MAX_FILESYSTEMS, path, faults, (entry, at) => ({
    mount: readText(entry, 'mount', { min: 1, max: 1024 }, at, faults),
    fs_type: readText(entry, 'fs_type', { min: 0, max: 64 }, at, faults),
    used_bytes: readSize(entry, 'used_bytes', at, faults),
    total_bytes: readSize(entry, 'total_bytes', at, faults),
    percent: readRounded(entry, 'percent', 'percent', 100, at, faults),
  }))
}

/** The network interfaces of a batch, undefined when it tells none. */
export function readInterfaces(batch: Fields, path: string, faults: Faults): NetworkInterface[] | undefined {
  return readEntries(batch, 'interfaces', MAX_INTERFACES, path, faults, (entry, at) => ({
    name: readText(entry, 'name', { min: 1, max: 64 }, at, faults),
    rx_bytes_per_sec: readRate(entry, 'rx_bytes_per_sec', at, faults),
    tx_bytes_per_sec: readRate(entry, 'tx_bytes_per_sec', at, faults),
  }))
}

function readEntries<T>(
  batch: Fields,
  name: string,
  max: number,
  path: string,
  faults: Faults,
  read: (entry: Fields, path: string) => T,
): T[] | undefined {
  const list = batch[name]
  if (list === undefined) return undefined
  const at = below(path, name)
  if (!Array.isArray(list) || list.length > max) {
    faults.add(at, `must be an array of at most ${max} entries`)
    return undefined
  }
  return list.flatMap((entry: unknown, index) => {
    if (isFields(entry)) return [read(entry, below(at, index))]
    faults.add(below(at, index), 'must be an object')
    return []
  })
}

function readSize(entry: Fields, name: string, path: string, faults: Faults): number {
  const value = entry[name]
  if (Number.isSafeInteger(value) && (value as number) >= 0) return (value as number) + 0
  faults.add(below(path, name), 'must be an integer from 0 to 2^53 - 1')
  return 0
}

function readRounded(entry: Fields, name: string, unit: MetricUnit, max: number, path: string, faults: Faults): number {
  const value = entry[name]
  if (typeof value === 'number' && value >= 0 && value <= max) return fromScaled(toScaled(value, { unit }), { unit })
  faults.add(below(path, name), `must be a number from 0 to ${max}`)
  return 0
}

function readRate(entry: Fields, name: string, path: string, faults: Faults): number | null {
  return entry[name] === null ? null : readRounded(entry, name, 'rate', Math.floor(Number.MAX_SAFE_INTEGER / 1_000), path, faults)
}
