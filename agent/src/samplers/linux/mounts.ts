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
    'vfat msdos exfat ntfs ntfs3 fuseblk hfs hfsplus ufs ubifs jffs2 minix gfs2 ' +
    // On disks of this host, or of the host of this machine.
    'fuse.mergerfs fuse.shfs virtiofs'
  ).split(' '),
)

/**
 * Parses /proc/self/mountinfo: one mount per local filesystem, in the order of the file. None on or below an automount: the calls
 * would mount it again and keep it mounted.
 */
export function parseMountinfo(text: string): Mount[] {
  const automounts: string[] = []
  // A later mount on the same path hides the earlier one.
  const visible = new Map<string, MountEntry>()
  const all: MountEntry[] = []
  eachLine(text, (start, end) => {
    const [fields, source] = text.slice(start, end).split(' - ', 2)
    const [id = '', parent = '', device, root, path] = fields?.split(' ') ?? []
    const fsType = source?.split(' ', 1)[0]
    if (device === undefined || path === undefined || fsType === undefined) return
    const mount = { id, parent, path: unescapePath(path), fsType, device, isWhole: root === '/' }
    all.push(mount)
    if (fsType === 'autofs') automounts.push(mount.path)
    visible.delete(mount.path)
    visible.set(mount.path, mount)
  })
  const isHidden = hiddenAmong(all)
  const byDevice = new Map<string, MountEntry>()
  for (const mount of visible.values()) {
    if (!LOCAL_TYPES.has(mount.fsType) || automounts.some((folder) => isWithin(mount.path, folder))) continue
    if (isHidden(mount)) continue
    // Accessing a ZFS snapshot mounts it, like an automount.
    if (mount.path.includes('/.zfs/snapshot/')) continue
    const chosen = byDevice.get(mount.device)
    if (!chosen || isBetterName(mount, chosen)) byDevice.set(mount.device, mount)
  }
  return [...byDevice.values()].map(({ path, fsType, device }) => ({ path, fsType, device }))
}

interface MountEntry extends Mount {
  id: string
  parent: string
  isWhole: boolean
}

/**
 * A mount is hidden where the way to it, or to the mount that it is on, meets a later mount of the same parent first: one on /mnt hides
 * what was mounted at /mnt/a before. The root hides nothing: it may have been mounted after its parts, and these moved to it.
 */
function hiddenAmong(all: readonly MountEntry[]): (mount: MountEntry) => boolean {
  const byId = new Map(all.map((mount) => [mount.id, mount]))
  const siblings = new Map<string, MountEntry[]>()
  for (const mount of all) {
    const known = siblings.get(mount.parent)
    if (known) known.push(mount)
    else siblings.set(mount.parent, [mount])
  }
  return (mount) => {
    const passed = new Set<MountEntry>()
    for (let at: MountEntry | undefined = mount; at && !passed.has(at); at = byId.get(at.parent)) {
      passed.add(at)
      const { path, parent } = at
      const all = siblings.get(parent) ?? []
      const later = all.slice(all.indexOf(at) + 1)
      if (later.some((other) => other.path !== path && other.path !== '/' && isWithin(path, other.path))) return true
    }
    return false
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

/** Of several mounts of one filesystem: its root before a bind mount of a part, then the shortest path. */
function isBetterName(mount: MountEntry, chosen: MountEntry): boolean {
  if (mount.isWhole !== chosen.isWhole) return mount.isWhole
  return mount.path.length < chosen.path.length
}

/** The kernel writes blank, tab, line feed and backslash as three octal digits. */
export function unescapePath(path: string): string {
  return path.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}
