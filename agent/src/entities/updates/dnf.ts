import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { pathToFileURL } from 'node:url'
import { yieldToEventLoop } from '../../process/clock.ts'
import type { PendingUpdates } from './apt.ts'
import { eachDecompressed } from './decompressed.ts'
import { compareRpmVersions, type RpmVersion } from './rpm-version.ts'

/** Of Fedora, and of RHEL 9 and what is built from it. Older ones have a database that is not SQLite. */
const DATABASES = ['/usr/lib/sysimage/rpm/rpmdb.sqlite', '/var/lib/rpm/rpmdb.sqlite']
const CACHES = ['/var/cache/libdnf5', '/var/cache/dnf']
const REPOSITORIES = '/etc/yum.repos.d'

const databaseOf = (root: string): string | undefined => DATABASES.map((path) => root + path).find((path) => existsSync(path))

export const hasDnf = (root: string): boolean =>
  databaseOf(root) !== undefined && CACHES.some((folder) => existsSync(root + folder))

interface Installed {
  newest: RpmVersion
  offered: RpmVersion | undefined
  secure: RpmVersion | undefined
}

/**
 * Installed packages of which the metadata of enabled repositories in dnf's cache has a newer version. Undefined where none is stored with
 * gzip or zstd: zchunk and xz cannot be read. Exclusions of the configuration and modules are not considered.
 */
export async function readDnfUpdates(root: string): Promise<PendingUpdates | undefined> {
  const metadata = await findMetadata(root)
  const lists = metadata.filter(({ kind }) => kind === 'primary')
  const database = databaseOf(root)
  if (lists.length === 0 || database === undefined) return undefined
  const installed = await readInstalled(database)
  for (const { path, kind } of metadata) {
    const offer = (key: string, version: RpmVersion) =>
      addOffer(installed.get(key), kind === 'primary' ? 'offered' : 'secure', version)
    if (kind === 'primary') await eachElement(path, 'package', (text) => withPackage(text, offer))
    else await eachElement(path, 'update', (text) => withSecurityUpdate(text, offer))
  }
  const isNewer = (version: RpmVersion | undefined, { newest }: Installed) =>
    version !== undefined && compareRpmVersions(version, newest) > 0
  const pending = [...installed].filter(([, one]) => isNewer(one.offered, one))
  const hasNotices = metadata.some(({ kind }) => kind === 'updateinfo')
  return {
    pending: pending.map(([key]) => key),
    security: hasNotices ? pending.filter(([, one]) => isNewer(one.secure, one)).length : undefined,
    listsAtMs: Math.max(...lists.map(({ atMs }) => atMs)),
  }
}

function addOffer(known: Installed | undefined, field: 'offered' | 'secure', version: RpmVersion): void {
  if (!known) return
  const before = known[field]
  if (!before || compareRpmVersions(version, before) > 0) known[field] = version
}

interface Metadata {
  path: string
  kind: 'primary' | 'updateinfo'
  atMs: number
}

/** The newest files of each enabled repository: their names begin with a checksum. */
async function findMetadata(root: string): Promise<Metadata[]> {
  const enabled = await readEnabled(root + REPOSITORIES)
  const found = new Map<string, Metadata>()
  for (const cache of CACHES)
    for (const folder of await readdir(root + cache).catch(() => [])) {
      // The name of the repository and a hash of its addresses.
      const repository = folder.replace(/-[0-9a-f]{16}$/, '')
      if (repository === folder || !enabled.has(repository)) continue
      for (const name of await readdir(`${root}${cache}/${folder}/repodata`).catch(() => [])) {
        const kind = /(?:^|-)(primary|updateinfo)\.xml\.(?:gz|zst)$/.exec(name)?.[1] as Metadata['kind'] | undefined
        if (kind === undefined) continue
        const path = `${root}${cache}/${folder}/repodata/${name}`
        const { mtimeMs: atMs } = await stat(path)
        const key = `${repository} ${kind}`
        if (atMs > (found.get(key)?.atMs ?? 0)) found.set(key, { path, kind, atMs })
      }
    }
  return [...found.values()]
}

async function readEnabled(folder: string): Promise<Set<string>> {
  const enabled = new Set<string>()
  for (const name of (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.repo'))) {
    const text = await readFile(`${folder}/${name}`, 'utf8')
    for (const section of text.split(/^\s*\[/m).slice(1))
      if (!/^\s*enabled\s*=\s*(?:0|no|false|off)\s*$/im.test(section)) enabled.add(section.slice(0, section.indexOf(']')))
  }
  return enabled
}

const MAX_ELEMENT_LENGTH = 4_194_304

/** Calls `take` with the text of each element of a compressed XML file, with its tags. Throws where it cannot be read. */
async function eachElement(path: string, name: string, take: (text: string) => void): Promise<void> {
  const [begin, end] = [`<${name} `, `</${name}>`]
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const isRead = await eachDecompressed(path, (piece) => {
    rest += decoder.write(piece)
    for (;;) {
      const to = rest.indexOf(end)
      if (to < 0) break
      const from = rest.lastIndexOf(begin, to)
      if (from >= 0) take(rest.slice(from, to + end.length))
      rest = rest.slice(to + end.length)
    }
    if (rest.length > MAX_ELEMENT_LENGTH) throw new Error(`${path} has an element of over 4 MB`)
  })
  if (!isRead) throw new Error(`${path} is neither gzip nor zstd`)
}

type Offer = (key: string, version: RpmVersion) => void

/** Of a package of primary.xml: its version is an element. */
function withPackage(text: string, offer: Offer): void {
  const [, name] = /<name>([^<]*)<\/name>/.exec(text) ?? []
  const [, architecture] = /<arch>([^<]*)<\/arch>/.exec(text) ?? []
  const [, attributes = ''] = /<version ([^>]*)>/.exec(text) ?? []
  offer(`${name}.${architecture}`, {
    epoch: Number(attributeOf(attributes, 'epoch') ?? 0),
    version: attributeOf(attributes, 'ver') ?? '',
    release: attributeOf(attributes, 'rel') ?? '',
  })
}

/** Of a notice of updateinfo.xml: it lists packages. */
function withSecurityUpdate(text: string, offer: Offer): void {
  if (attributeOf(text.slice(0, text.indexOf('>')), 'type') !== 'security') return
  for (const [, attributes = ''] of text.matchAll(/<package ([^>]*)>/g))
    offer(`${attributeOf(attributes, 'name')}.${attributeOf(attributes, 'arch')}`, {
      epoch: Number(attributeOf(attributes, 'epoch') ?? 0),
      version: attributeOf(attributes, 'version') ?? '',
      release: attributeOf(attributes, 'release') ?? '',
    })
}

const attributeOf = (text: string, name: string): string | undefined => new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(text)?.[1]

/** Tags of a header, https://rpm-software-management.github.io/rpm/manual/tags.html */
const TAG = { name: 1_000, version: 1_001, release: 1_002, epoch: 1_003, architecture: 1_022 } as const
const ENTRY_BYTES = 16
const PREAMBLE_BYTES = 8
/** Some 40 kB each. */
const HEADERS_AT_ONCE = 20

/** The newest installed version by `name.architecture`: of a kernel several are installed. */
async function readInstalled(path: string): Promise<Map<string, Installed>> {
  const { DatabaseSync } = await import('node:sqlite')
  // Immutable: else SQLite writes next to the file, which the agent's user may not. rpm has merged its log when it ends.
  const address = pathToFileURL(path)
  address.search = 'immutable=1'
  const database = new DatabaseSync(address, { readOnly: true })
  const installed = new Map<string, Installed>()
  try {
    let read = 0
    for (const { blob } of database.prepare('select blob from Packages').iterate()) {
      if (++read % HEADERS_AT_ONCE === 0) await yieldToEventLoop()
      const header = Buffer.from(blob as Uint8Array)
      const [name, architecture] = [textIn(header, TAG.name), textIn(header, TAG.architecture)]
      // Keys of signatures are packages too.
      if (name === undefined || architecture === undefined) continue
      const newest = {
        epoch: numberIn(header, TAG.epoch) ?? 0,
        version: textIn(header, TAG.version) ?? '',
        release: textIn(header, TAG.release) ?? '',
      }
      const known = installed.get(`${name}.${architecture}`)
      if (!known || compareRpmVersions(newest, known.newest) > 0)
        installed.set(`${name}.${architecture}`, { newest, offered: undefined, secure: undefined })
    }
  } finally {
    database.close()
  }
  return installed
}

/** Where the data of a tag begins in a header: two counts, an index of tag, type, offset and count, then the data. */
function dataOf(header: Buffer, tag: number): number | undefined {
  const count = header.readUInt32BE(0)
  for (let index = 0; index < count; index++) {
    const at = PREAMBLE_BYTES + index * ENTRY_BYTES
    if (header.readUInt32BE(at) === tag) return PREAMBLE_BYTES + count * ENTRY_BYTES + header.readUInt32BE(at + 8)
  }
  return undefined
}

function textIn(header: Buffer, tag: number): string | undefined {
  const at = dataOf(header, tag)
  return at === undefined ? undefined : header.toString('utf8', at, header.indexOf(0, at))
}

function numberIn(header: Buffer, tag: number): number | undefined {
  const at = dataOf(header, tag)
  return at === undefined ? undefined : header.readUInt32BE(at)
}
