import { tryReadText } from '../process/files.ts'
import { type ListFolder, listFolder, toNumber } from './device-files.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

const SECTOR_BYTES = 512

/** States of md in which no data can be read. */
const MD_FAILED = new Set(['inactive', 'clear', 'broken'])

/**
 * Health of md arrays, ZFS pools and btrfs filesystems, from /sys and /proc. The kernel answers from memory, without the locks that a
 * failed disk may hold, so these reads cannot hang.
 */
export class ArraySource implements EntitySource {
  readonly name = 'arrays'
  readonly #roots: { procRoot: string; sysRoot: string }
  readonly #list: ListFolder

  constructor(roots: { procRoot: string; sysRoot: string }, list: ListFolder = listFolder) {
    this.#list = list
    this.#roots = roots
  }

  read(): Promise<EntityReading[]> {
    const { procRoot, sysRoot } = this.#roots
    const arrays = [
      ...this.#list(`${sysRoot}/block`)
        .filter((name) => name.startsWith('md'))
        .map((name) => ({ name, folder: `${sysRoot}/block/${name}`, read: readMd })),
      ...listFolder(`${procRoot}/spl/kstat/zfs`).map((name) => ({
        name,
        folder: `${procRoot}/spl/kstat/zfs/${name}`,
        read: readZfs,
      })),
      ...listFolder(`${sysRoot}/fs/btrfs`).map((name) => ({ name, folder: `${sysRoot}/fs/btrfs/${name}`, read: readBtrfs })),
    ]
    return Promise.resolve(arrays.flatMap(({ name, folder, read }) => read(name, folder) ?? []))
  }
}

const file = (path: string): string | undefined => tryReadText(path)?.trim()

function readMd(name: string, folder: string): EntityReading | undefined {
  const state = file(`${folder}/md/array_state`)
  const level = file(`${folder}/md/level`)
  // The container of arrays with foreign metadata (IMSM, DDF) holds no data and is always `inactive`: its arrays are entities of their own.
  if (state === undefined || level === 'container') return undefined
  const action = file(`${folder}/md/sync_action`)
  const degraded = toNumber(file(`${folder}/md/degraded`))
  const [done, total] = (file(`${folder}/md/sync_completed`) ?? '').split(' / ').map(Number)
  const errors: (number | undefined)[] = []
  for (const member of listFolder(`${folder}/md`).filter((entry) => entry.startsWith('dev-')))
    errors.push(toNumber(file(`${folder}/md/${member}/errors`)))
  const sectors = toNumber(file(`${folder}/size`))
  return toReading(
    'array',
    name,
    {
      healthy: Number(!MD_FAILED.has(state) && (degraded ?? 0) === 0),
      // `4 (3)` while the array grows from three devices to four.
      devices: toNumber(file(`${folder}/md/raid_disks`)?.split(' ')[0]),
      // Levels without redundancy have no such file.
      failed_devices: degraded,
      sync_percent: done !== undefined && total !== undefined && total > 0 ? (done * 100) / total : undefined,
      errors: sumOf(errors),
      size_bytes: sectors && sectors * SECTOR_BYTES,
    },
    { type: 'md', level, state, action: action === 'idle' ? undefined : action },
  )
}

function readZfs(name: string, folder: string): EntityReading | undefined {
  const state = file(`${folder}/state`)
  if (state === undefined) return undefined
  return toReading('array', name, { healthy: Number(state === 'ONLINE') }, { type: 'zfs', state: state.toLowerCase() })
}

function readBtrfs(uuid: string, folder: string): EntityReading | undefined {
  const devices = listFolder(`${folder}/devinfo`)
  if (devices.length === 0) return undefined
  const errors: (number | undefined)[] = []
  let missing = 0
  for (const device of devices) {
    const counts = (file(`${folder}/devinfo/${device}/error_stats`) ?? '').match(/\d+$/gm)
    errors.push(counts?.reduce((sum, count) => sum + Number(count), 0))
    missing += Number(file(`${folder}/devinfo/${device}/missing`) === '1')
  }
  const used: (number | undefined)[] = []
  for (const type of ['data', 'metadata', 'system']) used.push(toNumber(file(`${folder}/allocation/${type}/disk_used`)))
  const sizes: (number | undefined)[] = []
  for (const device of listFolder(`${folder}/devices`)) sizes.push(toNumber(file(`${folder}/devices/${device}/size`)))
  const sectors = sumOf(sizes)
  const total = sumOf(errors)
  return toReading(
    'array',
    file(`${folder}/label`) || uuid,
    {
      healthy: Number(missing === 0 && (total ?? 0) === 0),
      devices: devices.length,
      failed_devices: missing,
      errors: total,
      used_bytes: sumOf(used),
      size_bytes: sectors && sectors * SECTOR_BYTES,
    },
    { type: 'btrfs', level: levelOfBtrfs(folder), state: missing > 0 ? 'degraded' : 'online' },
  )
}

/** Of the data: `raid1`, `single` and so on are names of folders. */
function levelOfBtrfs(folder: string): string | undefined {
  return listFolder(`${folder}/allocation/data`).find((name) => /^(raid\d|single$|dup$)/.test(name))
}

/** Of those that are known; undefined if none is. */
function sumOf(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined)
  return known.length === 0 ? undefined : known.reduce((sum, number) => sum + number, 0)
}
