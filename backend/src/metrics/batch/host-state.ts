import {
  type BatchState,
  type Filesystem,
  type HostState,
  MAX_FAILED_UNITS,
  MAX_FILESYSTEMS,
  MAX_INTERFACES,
  MAX_PROCESS_NAME_LENGTH,
  MAX_PROCESSES,
  MAX_UNIT_NAME_LENGTH,
  type MetricUnit,
  type NetworkInterface,
  type Process,
} from '@vedette/shared'
import { fromScaled, toScaled } from '../block/index.ts'
import { below, type Faults, type Fields, isFields } from './faults.ts'
import { readText } from './texts.ts'

/** What a batch tells beside samples; parts that it does not have are left out. */
export function readState(batch: Fields, path: string, faults: Faults): BatchState {
  const state: BatchState = {}
  const filesystems = readFilesystems(batch, path, faults)
  if (filesystems) state.filesystems = filesystems
  const interfaces = readInterfaces(batch, path, faults)
  if (interfaces) state.interfaces = interfaces
  const processes = readProcesses(batch, path, faults)
  if (processes) state.processes = processes
  const host = readHost(batch, path, faults)
  if (host) state.host = host
  return state
}

/** The filesystems of a batch, undefined when it tells none. Only known fields are kept, rounded as samples are. */
function readFilesystems(batch: Fields, path: string, faults: Faults): Filesystem[] | undefined {
  return readEntries(batch, 'filesystems', MAX_FILESYSTEMS, path, faults, (entry, at) => ({
    mount: readText(entry, 'mount', { min: 1, max: 1024 }, at, faults),
    fs_type: readText(entry, 'fs_type', { min: 0, max: 64 }, at, faults),
    used_bytes: readSize(entry, 'used_bytes', at, faults),
    total_bytes: readSize(entry, 'total_bytes', at, faults),
    percent: readRounded(entry, 'percent', 'percent', 100, at, faults),
  }))
}

/** The network interfaces of a batch, undefined when it tells none. */
function readInterfaces(batch: Fields, path: string, faults: Faults): NetworkInterface[] | undefined {
  return readEntries(batch, 'interfaces', MAX_INTERFACES, path, faults, (entry, at) => ({
    name: readText(entry, 'name', { min: 1, max: 64 }, at, faults),
    rx_bytes_per_sec: readRate(entry, 'rx_bytes_per_sec', at, faults),
    tx_bytes_per_sec: readRate(entry, 'tx_bytes_per_sec', at, faults),
  }))
}

function readProcesses(batch: Fields, path: string, faults: Faults): Process[] | undefined {
  return readEntries(batch, 'processes', MAX_PROCESSES, path, faults, (entry, at) => ({
    pid: readSize(entry, 'pid', at, faults),
    name: readText(entry, 'name', { min: 1, max: MAX_PROCESS_NAME_LENGTH }, at, faults),
    cpu_percent: entry['cpu_percent'] === null ? null : readRounded(entry, 'cpu_percent', 'percent', 100, at, faults),
    memory_bytes: entry['memory_bytes'] === null ? null : readSize(entry, 'memory_bytes', at, faults),
  }))
}

function readHost(batch: Fields, path: string, faults: Faults): HostState | undefined {
  const given = batch['host']
  if (given === undefined) return undefined
  const at = below(path, 'host')
  if (!isFields(given)) {
    faults.add(at, 'must be an object')
    return undefined
  }
  const host: HostState = {}
  if (given['uptime_seconds'] !== undefined) host.uptime_seconds = readSize(given, 'uptime_seconds', at, faults)
  if (given['logged_in_users'] !== undefined) host.logged_in_users = readSize(given, 'logged_in_users', at, faults, 1_000_000)
  if (given['failed_units'] !== undefined) host.failed_units = readUnits(given['failed_units'], below(at, 'failed_units'), faults)
  const { reboot_required } = given
  if (typeof reboot_required === 'boolean') host.reboot_required = reboot_required
  else if (reboot_required !== undefined) faults.add(below(at, 'reboot_required'), 'must be true or false')
  return host
}

function readUnits(units: unknown, path: string, faults: Faults): string[] {
  if (Array.isArray(units) && units.length <= MAX_FAILED_UNITS) {
    return units.map((_, index) =>
      readText(units as unknown as Fields, `${index}`, { min: 1, max: MAX_UNIT_NAME_LENGTH }, path, faults),
    )
  }
  faults.add(path, `must be an array of at most ${MAX_FAILED_UNITS} entries`)
  return []
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

function readSize(entry: Fields, name: string, path: string, faults: Faults, max = Number.MAX_SAFE_INTEGER): number {
  const value = entry[name]
  if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= max) return (value as number) + 0
  faults.add(below(path, name), `must be an integer from 0 to ${max === Number.MAX_SAFE_INTEGER ? '2^53 - 1' : max}`)
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
