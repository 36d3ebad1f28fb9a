import { eachLine } from './text.ts'

export interface Mount {
  path: string
  fsType: string
  /** major:minor of the filesystem: one filesystem may be mounted in many places. */
  device: string
}

/**
 * Filesystems on this host's own disks. A list of what is asked, not of what is skipped: a statfs on a network, FUSE or
 * autofs mount can hang for ever or mount something, and a type that is not known yet may be one of those.
 */
const LOCAL_TYPES = new Set(
  (
    'ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs jfs nilfs2 reiserfs reiser4 ' +
    'vfat msdos exfat ntfs ntfs3 hfs hfsplus ufs ubifs jffs2 minix'
  ).split(' '),
)

/**
 * /proc/self/mountinfo: one mount per local filesystem, in the order of the file. None on or below an automount: between this
 * list and the call it may be unmounted, the call would mount it again, and a call a minute would never let it rest.
 */
export function parseMountinfo(text: string): Mount[] {
  const automounts: string[] = []
  // What is mounted last on a path hides what was there before.
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
    // Mounted by a look into it, as by an automount, and never freed by us in any case.
    if (mount.path.includes('/.zfs/snapshot/')) continue
    const chosen = byDevice.get(mount.device)
    if (!chosen || isBetterName(mount, chosen)) byDevice.set(mount.device, mount)
  }
  return [...byDevice.values()].map(({ path, fsType, device }) => ({ path, fsType, device }))
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

/** Of several mounts of one filesystem a person knows it by: its root before a bind mount of a part, then the shortest path. */
function isBetterName(mount: Mount & { isWhole: boolean }, chosen: Mount & { isWhole: boolean }): boolean {
  if (mount.isWhole !== chosen.isWhole) return mount.isWhole
  return mount.path.length < chosen.path.length
}

/** The kernel writes blank, tab, line feed and backslash as three octal digits. */
function unescapePath(path: string): string {
  return path.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}
