import { type DeviceFiles, listFolder, type ReadFile, toNumber } from './device-files.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

const SECTOR_BYTES = 512

/** States of md in which no data can be read. */
const MD_FAILED = new Set(['inactive', 'clear', 'broken'])

/** Health of md arrays, ZFS pools and btrfs filesystems, from /sys and /proc. */
export class ArraySource implements EntitySource {
  readonly name = 'arrays'
  readonly #roots: { procRoot: string; sysRoot: string }
  readonly #files: DeviceFiles

  constructor(roots: { procRoot: string; sysRoot: string }, files: DeviceFiles) {
    this.#roots = roots
    this.#files = files
  }

  async read(): Promise<EntityReading[]> {
    const { procRoot, sysRoot } = this.#roots
    const arrays = [
      ...listFolder(`${sysRoot}/block`)
        .filter((name) => name.startsWith('md'))
        .map((name) => ({ name, folder: `${sysRoot}/block/${name}`, read: readMd })),
      ...listFolder(`${procRoot}/spl/kstat/zfs`).map((name) => ({
        name,
        folder: `${procRoot}/spl/kstat/zfs/${name}`,
        read: readZfs,
      })),
      ...listFolder(`${sysRoot}/fs/btrfs`).map((name) => ({ name, folder: `${sysRoot}/fs/btrfs/${name}`, read: readBtrfs })),
    ]
    const readings: EntityReading[] = []
    for (const { name, folder, read } of arrays) {
      const reading = await this.#files.device(folder, (file) => read(name, folder, file))
      if (reading) readings.push(reading)
    }
    return readings
  }
}

async function readMd(name: string, folder: string, file: ReadFile): Promise<EntityReading | undefined> {
  const state = await file(`${folder}/md/array_state`)
  if (state === undefined) return undefined
  const action = await file(`${folder}/md/sync_action`)
  const degraded = toNumber(await file(`${folder}/md/degraded`))
  const [done, total] = ((await file(`${folder}/md/sync_completed`)) ?? '').split(' / ').map(Number)
  const errors: (number | undefined)[] = []
  for (const member of listFolder(`${folder}/md`).filter((entry) => entry.startsWith('dev-')))
    errors.push(toNumber(await file(`${folder}/md/${member}/errors`)))
  const sectors = toNumber(await file(`${folder}/size`))
  return toReading(
    'array',
    name,
    {
      healthy: Number(!MD_FAILED.has(state) && (degraded ?? 0) === 0),
      devices: toNumber(await file(`${folder}/md/raid_disks`)),
      // Levels without redundancy have no such file.
      failed_devices: degraded,
      sync_percent: done !== undefined && total !== undefined && total > 0 ? (done * 100) / total : undefined,
      errors: sumOf(errors),
      size_bytes: sectors && sectors * SECTOR_BYTES,
    },
    { type: 'md', level: await file(`${folder}/md/level`), state, action: action === 'idle' ? undefined : action },
  )
}

async function readZfs(name: string, folder: string, file: ReadFile): Promise<EntityReading | undefined> {
  const state = await file(`${folder}/state`)
  if (state === undefined) return undefined
  return toReading('array', name, { healthy: Number(state === 'ONLINE') }, { type: 'zfs', state: state.toLowerCase() })
}

async function readBtrfs(uuid: string, folder: string, file: ReadFile): Promise<EntityReading | undefined> {
  const devices = listFolder(`${folder}/devinfo`)
  if (devices.length === 0) return undefined
  const errors: (number | undefined)[] = []
  let missing = 0
  for (const device of devices) {
    const counts = ((await file(`${folder}/devinfo/${device}/error_stats`)) ?? '').match(/\d+$/gm)
    errors.push(counts?.reduce((sum, count) => sum + Number(count), 0))
    missing += Number((await file(`${folder}/devinfo/${device}/missing`)) === '1')
  }
  const used: (number | undefined)[] = []
  for (const type of ['data', 'metadata', 'system']) used.push(toNumber(await file(`${folder}/allocation/${type}/disk_used`)))
  const sizes: (number | undefined)[] = []
  for (const device of listFolder(`${folder}/devices`)) sizes.push(toNumber(await file(`${folder}/devices/${device}/size`)))
  const sectors = sumOf(sizes)
  const total = sumOf(errors)
  return toReading(
    'array',
    (await file(`${folder}/label`)) || uuid,
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
