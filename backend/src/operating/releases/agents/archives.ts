import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Log } from '../../../platform/logging/log.ts'
import { type AgentBundle, archiveFiles, type ArchiveFile, fingerprintOf } from './contents.ts'
import { NODE_PACKAGES, type Platform } from './node-packages.ts'
import {
  type NodePiece,
  type NodeSource,
  NodeMissing,
  ownLibatomic,
  piecesOfInstalled,
  piecesOfTarball,
  sha512Of,
} from './node-source.ts'
import { TAR_END, tarHeader, tarPadding } from './tar.ts'

/** Less work than the default level, for a little more to send. */
const GZIP_LEVEL = 4
/** Anybody may request an archive: for this time a failure is answered from memory. */
const FAILED_MS = 30_000
/** What a process left that ended while it built. */
const ABANDONED_MS = 3_600_000
const WORK_PREFIX = 'building-'

/** An agent with its Node, ready to be sent. */
export interface AgentArchive {
  path: string
  size: number
  sha512: Buffer
}

export interface AgentArchives {
  /** Builds it the first time; later calls share it. Throws NodeMissing, AgentNotBuilt, or what the disk says. */
  read(platform: Platform): Promise<AgentArchive>
}

export class AgentNotBuilt extends Error {}

export interface ArchiveDeps {
  /** Where archives are stored. */
  folder: string
  bundle(): AgentBundle | undefined
  source: NodeSource
  /** The platform of this process. */
  own: Platform | undefined
  clock: Pick<Clock, 'now'>
  log: Log
}

interface Attempt {
  archive: Promise<AgentArchive>
  failedAtMs?: number
}

export function createArchives(deps: ArchiveDeps): AgentArchives {
  const { clock, log } = deps
  const attempts = new Map<Platform, Attempt>()
  // One at a time: each takes a core for some seconds.
  let last: Promise<unknown> = Promise.resolve()
  const attempt = (platform: Platform): Promise<AgentArchive> => {
    const archive = last.then(() => build(platform, deps))
    const own: Attempt = { archive }
    attempts.set(platform, own)
    last = archive.catch((error: unknown) => {
      own.failedAtMs = clock.now()
      log.warn({ err: error, platform }, 'the agent for this platform cannot be served')
    })
    return archive
  }
  return {
    async read(platform) {
      const present = attempts.get(platform)
      if (!present || clock.now() - (present.failedAtMs ?? Number.POSITIVE_INFINITY) >= FAILED_MS) return attempt(platform)
      const archive = await present.archive
      return existsSync(archive.path) ? archive : attempt(platform)
    },
  }
}

/** What it finds complete is used; else it is built under another name, and gets its own when all of it is on the disk. */
async function build(platform: Platform, deps: ArchiveDeps): Promise<AgentArchive> {
  const { folder, source } = deps
  const bundle = deps.bundle()
  if (!bundle) throw new AgentNotBuilt('the agent is not built')
  const files = [...archiveFiles(platform, bundle), ...(await libraryOf(platform, deps.own))]
  const node = NODE_PACKAGES[platform]
  const installed = source.installed(platform)
  const fingerprint = fingerprintOf(files, installed ? `${installed} ${(await stat(installed)).size}` : node.sha512)
  const path = join(folder, `${platform}-${fingerprint}.tar.gz`)
  if (!existsSync(path)) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await removeAbandoned(folder, deps.clock.now())
    const work = await mkdtemp(join(folder, WORK_PREFIX))
    try {
      const pieces = installed
        ? piecesOfInstalled(installed, node.program)
        : piecesOfTarball(await source.tarball(platform, folder, work), node.program)
      const unfinished = join(work, 'archive')
      await write(unfinished, packed(`vedette-agent-${bundle.version}-${platform}`, files, pieces, node.program))
      for (const name of await readdir(folder)) if (name.startsWith(`${platform}-`)) await rm(join(folder, name), { force: true })
      await rename(unfinished, path)
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  }
  return { path, size: (await stat(path)).size, sha512: await sha512Of(path) }
}

async function libraryOf(platform: Platform, own: Platform | undefined): Promise<ArchiveFile[]> {
  const library = platform === own ? ownLibatomic() : undefined
  return library ? [{ name: 'lib/vedette/libatomic.so.1', bytes: await readFile(library), isProgram: false }] : []
}

async function removeAbandoned(folder: string, nowMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.startsWith(WORK_PREFIX) && nowMs - (await stat(path)).mtimeMs > ABANDONED_MS)
      await rm(path, { recursive: true, force: true })
  }
}

/** Writes a compressed file, and is done when it is on the disk. */
async function write(path: string, tar: AsyncIterable<Buffer>): Promise<void> {
  await pipeline(tar, createGzip({ level: GZIP_LEVEL }), createWriteStream(path, { mode: 0o600 }))
  await using file = await open(path, 'r')
  await file.sync()
}

/** A tar with one folder: the files, and Node where the starter looks for it. Throws where Node's program is not among the pieces. */
async function* packed(
  top: string,
  files: readonly ArchiveFile[],
  pieces: AsyncIterable<NodePiece>,
  program: string,
): AsyncGenerator<Buffer> {
  for (const { name, bytes, isProgram } of files) {
    yield tarHeader(`${top}/${name}`, bytes.length, isProgram)
    yield bytes
    yield tarPadding(bytes.length)
  }
  let open: NodePiece | undefined
  let hasProgram = false
  for await (const one of pieces) {
    if (one.name !== open?.name) {
      if (open) yield tarPadding(open.size)
      open = one
      hasProgram ||= one.name === program
      yield one.name === program
        ? tarHeader(`${top}/lib/vedette/${program.slice('bin/'.length)}`, one.size, true)
        : tarHeader(`${top}/share/vedette-agent/NODE-LICENSE.txt`, one.size, false)
    }
    yield one.piece
  }
  if (!hasProgram) throw new NodeMissing(`the package has no ${program}`)
  if (open) yield tarPadding(open.size)
  yield TAR_END
}
