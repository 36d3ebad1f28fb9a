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
