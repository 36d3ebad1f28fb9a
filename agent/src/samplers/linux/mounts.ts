import { eachLine } from './text.ts'

export interface Mount {
  path: string
  fsType: string
  /** major:minor of the filesystem: one filesystem may be mounted in many places. */
  device: string
}

/**
 * Filesystems on local disks. An allowlist, because a statfs on a network, FUSE or autofs mount can hang for ever or mount something,
 * and an unknown type may be one of those.
 */
const LOCAL_TYPES = new Set(
  (
    'ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs jfs nilfs2 reiserfs reiser4 ' +
    'vfat msdos exfat ntfs ntfs3 hfs hfsplus ufs ubifs jffs2 minix'
  ).split(' '),
)

/**
 * Parses /proc/self/mountinfo: one mount per local filesystem, in the order of the file. None on or below an automount: the calls
 * would mount it again and keep it mounted.
 */
export function parseMountinfo(text: string): Mount[] {
  const automounts: string[] = []
  // A later mount on the same path hides the earlier one.
  const visible = new Map<string, Mount & { isWhole: boolean }>()
  eachLine(text, (start, end) => {
    const [fields, source] = text.slice(start, end).split(' - ', 2)
    const [, , device, root, path] = fields?.split(' ') ?? []
    const fsType = source?.split(' ', 1)[0]
    if (device === undefined || path === undefined || fsType === undefined) return
    const mount = { path: unescapePath(path), fsType, device, isWhole: root === '/' }
    if (fsType === 'autofs') automounts.push(mount.path)
    visible.delete(mount.path)
    visible.set(mount.path, mount)
  })
  const byDevice = new Map<string, Mount & { isWhole: boolean }>()
  for (const mount of visible.values()) {
    if (!LOCAL_TYPES.has(mount.fsType) || automounts.some((folder) => isWithin(mount.path, folder))) continue
    // Accessing a ZFS snapshot mounts it, like an automount.
    if (mount.path.includes('/.zfs/snapshot/')) continue
    const chosen = byDevice.get(mount.device)
    if (!chosen || isBetterName(mount, chosen)) byDevice.set(mount.device, mount)
  }
  return [...byDevice.values()].map(({ path, fsType, device }) => ({ path, fsType, device }))
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

/** Of several mounts of one filesystem: its root before a bind mount of a part, then the shortest path. */
function isBetterName(mount: Mount & { isWhole: boolean }, chosen: Mount & { isWhole: boolean }): boolean {
  if (mount.isWhole !== chosen.isWhole) return mount.isWhole
  return mount.path.length < chosen.path.length
}

/** The kernel writes blank, tab, line feed and backslash as three octal digits. */
export function unescapePath(path: string): string {
  return path.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}
