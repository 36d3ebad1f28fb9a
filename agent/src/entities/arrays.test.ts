import { describe, expect, test } from 'vitest'
import { addTo, tree } from '../../test/tree.ts'
import { ArraySource } from './arrays.ts'

const read = (root: string) => new ArraySource({ procRoot: `${root}/proc`, sysRoot: `${root}/sys` }).read()

describe('md, after Documentation/admin-guide/md.rst of the kernel', () => {
  const MD0 = {
    'sys/block/sda/size': '1000\n',
    'sys/block/md0/size': '2000\n',
    'sys/block/md0/md/array_state': 'clean\n',
    'sys/block/md0/md/level': 'raid1\n',
    'sys/block/md0/md/raid_disks': '2\n',
    'sys/block/md0/md/degraded': '0\n',
    'sys/block/md0/md/sync_action': 'idle\n',
    'sys/block/md0/md/sync_completed': 'none\n',
    'sys/block/md0/md/dev-sda1/errors': '0\n',
    'sys/block/md0/md/dev-sdb1/errors': '3\n',
  }

  test('a healthy mirror', async () => {
    expect(await read(tree(MD0))).toEqual([
      {
        kind: 'array',
        name: 'md0',
        values: { healthy: 1, devices: 2, failed_devices: 0, errors: 3, size_bytes: 1_024_000 },
        attributes: { type: 'md', level: 'raid1', state: 'clean' },
      },
    ])
  })

  test('a mirror that is rebuilt is not healthy', async () => {
    const root = tree(MD0)
    addTo(root, {
      'sys/block/md0/md/degraded': '1\n',
      'sys/block/md0/md/sync_action': 'recover\n',
      'sys/block/md0/md/sync_completed': '250 / 1000\n',
    })
    expect(await read(root)).toMatchObject([
      { values: { healthy: 0, failed_devices: 1, sync_percent: 25 }, attributes: { action: 'recover' } },
    ])
  })

  test('the container of an array with foreign metadata is no array, and the one inside is', async () => {
    const root = tree({
      ...MD0,
      'sys/block/md127/md/array_state': 'inactive\n',
      'sys/block/md127/md/level': 'container\n',
      'sys/block/md127/md/metadata_version': 'external:imsm\n',
    })
    expect(await read(root)).toMatchObject([{ name: 'md0', values: { healthy: 1 } }])
  })

  test('an array that grows has the number of devices that it will have', async () => {
    const root = tree({ ...MD0, 'sys/block/md0/md/raid_disks': '4 (3)\n', 'sys/block/md0/md/sync_action': 'reshape\n' })
    expect(await read(root)).toMatchObject([{ values: { healthy: 1, devices: 4 }, attributes: { action: 'reshape' } }])
  })

  test('a stripe set has no redundancy, and is not healthy when it is not assembled', async () => {
    const root = tree({ 'sys/block/md1/md/array_state': 'inactive\n', 'sys/block/md1/md/level': 'raid0\n' })
    expect(await read(root)).toMatchObject([{ name: 'md1', values: { healthy: 0 } }])
    addTo(root, { 'sys/block/md1/md/array_state': 'clean\n' })
    expect((await read(root))[0]?.values).toEqual({ healthy: 1 })
  })
})

test('pools of ZFS are healthy while they are online', async () => {
  const root = tree({
    'proc/spl/kstat/zfs/tank/state': 'ONLINE\n',
    'proc/spl/kstat/zfs/old/state': 'DEGRADED\n',
    'proc/spl/kstat/zfs/arcstats': '',
  })
  expect(await read(root)).toEqual([
    { kind: 'array', name: 'old', values: { healthy: 0 }, attributes: { type: 'zfs', state: 'degraded' } },
    { kind: 'array', name: 'tank', values: { healthy: 1 }, attributes: { type: 'zfs', state: 'online' } },
  ])
})

test('btrfs counts the errors of its devices and misses one that is away', async () => {
  const folder = 'sys/fs/btrfs/4b5f8a3e-0000-4000-8000-000000000001'
  const stats = (corruption: number) =>
    `write_errs 0\nread_errs 1\nflush_errs 0\ncorruption_errs ${corruption}\ngeneration_errs 0\n`
  const root = tree({
    'sys/fs/btrfs/features/raid1c34': '0\n',
    [`${folder}/label`]: 'backup\n',
    [`${folder}/devinfo/1/error_stats`]: stats(4),
    [`${folder}/devinfo/1/missing`]: '0\n',
    [`${folder}/devinfo/2/error_stats`]: stats(0),
    [`${folder}/devinfo/2/missing`]: '1\n',
    [`${folder}/devices/sda/size`]: '4096\n',
    [`${folder}/allocation/data/disk_used`]: '1048576\n',
    [`${folder}/allocation/data/raid1/used_bytes`]: '1\n',
    [`${folder}/allocation/metadata/disk_used`]: '65536\n',
  })
  expect(await read(root)).toEqual([
    {
      kind: 'array',
      name: 'backup',
      values: { healthy: 0, devices: 2, failed_devices: 1, errors: 6, used_bytes: 1_114_112, size_bytes: 2_097_152 },
      attributes: { type: 'btrfs', level: 'raid1', state: 'degraded' },
    },
  ])
})
