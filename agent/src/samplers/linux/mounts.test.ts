import { expect, test } from 'vitest'
import { fixture } from './fixtures.ts'
import { parseMountinfo } from './mounts.ts'

const paths = (text: string) => parseMountinfo(text).map((mount) => `${mount.fsType} ${mount.path}`)

test('a recorded host has one local filesystem', () => {
  expect(parseMountinfo(fixture('recorded/proc/self/mountinfo'))).toEqual([{ path: '/', fsType: 'ext4', device: '254:0' }])
})

test('one mount per local filesystem: no bind mounts twice, no network, FUSE, autofs, overlay or pseudo ones', () => {
  expect(paths(fixture('constructed/mountinfo-busy'))).toEqual([
    'ext4 /',
    'xfs /mnt/photos',
    'btrfs /home',
    'vfat /mnt/My Disk',
    'zfs /tank',
  ])
})

test('a local mount hidden by a network mount on the same path is never read', () => {
  expect(paths(fixture('constructed/mountinfo-busy'))).not.toContain('ext4 /data')
})

const ROOT = '22 1 8:1 / / rw - ext4 /dev/sda1 rw\n'
test.each([
  [
    'a later mount on the folder above',
    `${ROOT}30 22 8:17 / /mnt/a rw - ext4 x rw\n31 22 8:33 / /mnt rw - xfs x rw\n`,
    ['ext4 /', 'xfs /mnt'],
  ],
  [
    'what is mounted on a hidden mount',
    `${ROOT}30 22 8:17 / /mnt/a rw - ext4 x rw\n32 30 8:18 / /mnt/a/b rw - ext4 x rw\n31 22 8:33 / /mnt rw - xfs x rw\n`,
    ['ext4 /', 'xfs /mnt'],
  ],
  [
    'nothing, where the mount above came first',
    `${ROOT}31 22 8:33 / /mnt rw - xfs x rw\n30 31 8:17 / /mnt/a rw - ext4 x rw\n`,
    ['ext4 /', 'xfs /mnt', 'ext4 /mnt/a'],
  ],
  [
    'nothing, where the root was mounted after its parts',
    `21 27 8:9 / /boot rw - vfat x rw\n27 1 8:1 / / rw - ext4 x rw\n`,
    ['vfat /boot', 'ext4 /'],
  ],
  [
    'nothing, by a path with the same prefix',
    `${ROOT}30 22 8:17 / /mnt/ab rw - ext4 x rw\n31 22 8:33 / /mnt/a rw - xfs x rw\n`,
    ['ext4 /', 'ext4 /mnt/ab', 'xfs /mnt/a'],
  ],
  [
    'nothing, in a circle that no kernel writes',
    '30 31 8:17 / /a rw - ext4 x rw\n31 30 8:33 / /b rw - xfs x rw\n',
    ['ext4 /a', 'xfs /b'],
  ],
])('hidden: %s', (_, text, expected) => expect(paths(text)).toEqual(expected))

test.each(['fuseblk', 'fuse.mergerfs', 'fuse.shfs', 'virtiofs', 'gfs2'])(
  '%s is local, other FUSE and network filesystems are not',
  (type) => {
    const lines = [type, 'fuse.sshfs', 'fuse', 'ceph', 'nfs4'].map(
      (each, index) => `${index + 30} 22 0:${index} / /mnt/${index} rw - ${each} x rw\n`,
    )
    expect(paths(ROOT + lines.join(''))).toEqual(['ext4 /', `${type} /mnt/0`])
  },
)

test('automounts are skipped, but not a path with the same prefix', () => {
  expect(paths(fixture('constructed/mountinfo-automount'))).toEqual(['ext4 /', 'ext4 /miscellany'])
})

test('btrfs subvolumes are one filesystem, ZFS datasets are separate, container layers and namespaces are none', () => {
  expect(paths(fixture('constructed/mountinfo-containers-btrfs-zfs'))).toEqual([
    'btrfs /',
    'btrfs /pool',
    'zfs /rpool/data',
    'zfs /rpool/data/vm-100',
    'ext4 /etc/hosts',
  ])
})

test.each([
  ['an empty file', ''],
  ['lines of another kind', 'hello\n1 2 3 - \n'],
])('%s has none', (_, text) => expect(parseMountinfo(text)).toEqual([]))
