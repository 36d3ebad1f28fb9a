import { type Dirent, existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { compareDebianVersions } from './debian-version.ts'
import { forEachStanza } from './stanzas.ts'

export interface PendingUpdates {
  /** Names of the packages. */
  pending: string[]
  /** Undefined where the manager does not know. */
  security: number | undefined
  /** When the lists of packages were last updated, ms since the epoch. */
  listsAtMs: number | undefined
}

interface InstalledPackage {
  version: string
  /** The highest version of the usual lists, of those for security, and of those that apt uses only for what came from them. */
  offered: string | undefined
  secure: string | undefined
  backport: string | undefined
}

/** How apt treats a list. */
type Use = 'normal' | 'security' | 'backport' | 'never'

export function hasApt(root: string): boolean {
  return existsSync(`${root}/var/lib/dpkg/status`) && existsSync(`${root}/var/lib/apt/lists`)
}

/**
 * Installed packages of which apt's lists have a newer version, held ones excluded. Undefined where no list is stored uncompressed.
 * Preferences (pinning) and phased updates are not considered.
 */
export async function readAptUpdates(root: string): Promise<PendingUpdates | undefined> {
  const folder = `${root}/var/lib/apt/lists`
  const entries = await readdir(folder, { withFileTypes: true })
  const lists = entries.filter((entry) => entry.isFile() && entry.name.endsWith('_Packages')).map(({ name }) => name)
  if (lists.length === 0) return undefined
  const installed = await readInstalled(`${root}/var/lib/dpkg/status`)
  for (const name of lists) {
    const use = await useOf(folder, name, entries)
    if (use !== 'never') await addOffers(installed, `${folder}/${name}`, use)
  }
  const outdated = [...installed].filter(([, one]) => isOutdated(one))
  const isSecurity = ({ version, secure }: InstalledPackage) => secure !== undefined && compareDebianVersions(secure, version) > 0
  return {
    pending: outdated.map(([key]) => key),
    security: outdated.filter(([, one]) => isSecurity(one)).length,
    listsAtMs: await newestChange([folder, `${folder}/partial`]),
  }
}

/** By `name:architecture`. */
async function readInstalled(path: string): Promise<Map<string, InstalledPackage>> {
  const installed = new Map<string, InstalledPackage>()
  await forEachStanza(path, (stanza) => {
    // A package on hold is not updated.
    if (stanza.field('Status') !== 'install ok installed') return
    const version = stanza.field('Version') ?? ''
    const key = `${stanza.field('Package')}:${stanza.field('Architecture')}`
    installed.set(key, { version, offered: undefined, secure: undefined, backport: undefined })
  })
  return installed
}

async function addOffers(installed: Map<string, InstalledPackage>, path: string, use: Use): Promise<void> {
  await forEachStanza(path, (stanza) => {
    const name = stanza.field('Package')
    const known = installed.get(`${name}:${stanza.field('Architecture')}`)
    const version = known && stanza.field('Version')
    if (!known || version === undefined) return
    if (use === 'backport') known.backport = newer(known.backport, version)
    else known.offered = newer(known.offered, version)
    if (use === 'security') known.secure = newer(known.secure, version)
  })
}

const newer = (a: string | undefined, b: string): string => (a !== undefined && compareDebianVersions(a, b) >= 0 ? a : b)

function isOutdated({ version, offered, backport }: InstalledPackage): boolean {
  const isNewer = (other: string | undefined) => other !== undefined && compareDebianVersions(other, version) > 0
  if (isNewer(offered)) return true
  // What the usual lists have is preferred, as long as it is not older.
  const isPreferred = offered !== undefined && compareDebianVersions(offered, version) >= 0
  return !isPreferred && isNewer(backport)
}

/** From the signed file that names the list, as `…_dists_bookworm-security_InRelease`. */
async function useOf(folder: string, list: string, entries: readonly Dirent[]): Promise<Use> {
  const prefix = /^(.*_dists_.*?)_[^_]+_binary-[^_]+_Packages$/.exec(list)?.[1]
  const release = entries.find(({ name }) => name === `${prefix}_InRelease` || name === `${prefix}_Release`)
  if (!release) return /security/i.test(list) ? 'security' : 'normal'
  const text = (await readFile(`${folder}/${release.name}`, 'utf8')).slice(0, 4_096)
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
  if (field('NotAutomatic') === 'yes') return field('ButAutomaticUpgrades') === 'yes' ? 'backport' : 'never'
  return /security/i.test(`${field('Suite')} ${field('Codename')} ${field('Label')}`) ? 'security' : 'normal'
}

async function newestChange(paths: readonly string[]): Promise<number | undefined> {
  const times = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      ),
    ),
  )
  const known = times.filter((time) => time !== undefined)
  return known.length > 0 ? Math.max(...known) : undefined
}
