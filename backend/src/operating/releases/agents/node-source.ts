import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createGunzip } from 'node:zlib'
import { HOME_FOLDER } from '../../../platform/home-folder.ts'
import { NODE_PACKAGES, type NodePackage, type Platform, tarballName } from './node-packages.ts'
import { readTar } from './tar.ts'

const HOME = fileURLToPath(HOME_FOLDER)
/** Five times the largest so far, 31 MB. */
const MAX_TARBALL_BYTES = 160 * 1_048_576
const FETCH_LIMIT_MS = 600_000

/** A piece of Node's program or of its licence. The first piece of each file is empty. */
export interface NodePiece {
  /** In the package. */
  name: string
  size: number
  piece: Buffer
}

/** Where the Node of a platform comes from. */
export interface NodeSource {
  /** Of a package of this installation, or of the running Node. Undefined: it has to be fetched. */
  installed(platform: Platform): string | undefined
  /** A tarball of the package whose hash is good: one that lies in `folder`, or one that npm writes into `work`. Throws NodeMissing. */
  tarball(platform: Platform, folder: string, work: string): Promise<string>
}

/** Node for a platform is not here and cannot be fetched; the message says what to do. */
export class NodeMissing extends Error {}

export interface NodeSourceOptions {
  /** Of npm: its config, its proxy, its certificates. */
  environment: NodeJS.ProcessEnv
  /** The platform of this process; undefined: none that an agent is served for. */
  own: Platform | undefined
  home?: string
}

export function createNodeSource({ environment, own, home = HOME }: NodeSourceOptions): NodeSource {
  return {
    installed(platform) {
      const { name, program } = NODE_PACKAGES[platform]
      const path = join(home, 'node_modules', name, program)
      if (existsSync(path)) return path
      return platform === own ? process.execPath : undefined
    },
    async tarball(platform, folder, work) {
      const node = NODE_PACKAGES[platform]
      const placed = join(folder, tarballName(node))
      const path = existsSync(placed) ? placed : await packByNpm(node, folder, work, { environment, home })
      if ((await stat(path)).size > MAX_TARBALL_BYTES || (await sha512Of(path)).toString('base64') !== node.sha512)
        throw new NodeMissing(
          `${node.name}@${node.version} is not the package that this version was built with: its SHA-512 differs`,
        )
      return path
    },
  }
}

/** npm knows its registry, its proxy and its credentials. */
async function packByNpm(
  node: NodePackage,
  folder: string,
  work: string,
  { environment, home }: { environment: NodeJS.ProcessEnv; home: string },
): Promise<string> {
  const name = `${node.name}@${node.version}`
  const args = [
    'pack',
    name,
    '--pack-destination',
    work,
    '--cache',
    join(work, 'npm'),
    '--ignore-scripts',
    '--fetch-retries',
    '1',
  ]
  // None of the backend's secrets.
  const env = Object.fromEntries(Object.entries(environment).filter(([key]) => !/^(?:VEDETTE_|DATABASE_)/.test(key)))
  const fault = await new Promise<Error | undefined>((resolve) =>
    execFile('npm', args, { cwd: home, env, timeout: FETCH_LIMIT_MS }, (error, _output, errors) =>
      resolve(error ? new Error(errors.slice(-2_000) || error.message) : undefined),
    ),
  )
  if (!fault) return join(work, tarballName(node))
  const remedy = `run "npm pack ${name}" where npm reaches its registry, and copy ${tarballName(node)} into ${folder}`
  throw new NodeMissing(`Node for this platform, the npm package ${name}, could not be fetched by npm: ${remedy}`, {
    cause: fault,
  })
}

/** Node and its licence from a tarball of npm, in the order in which they come. */
export async function* piecesOfTarball(path: string, program: string): AsyncGenerator<NodePiece> {
  const unpacked = createGunzip()
  // Its failure ends the reading below.
  pipeline(createReadStream(path), unpacked).catch(() => undefined)
  for await (const { entry, piece } of readTar(unpacked as AsyncIterable<Buffer>)) {
    const name = entry.name.replace(/^package\//, '')
    if (name === program || name === 'LICENSE') yield { name, size: entry.size, piece }
  }
}

/** The same of a Node that is installed here. */
export async function* piecesOfInstalled(path: string, program: string): AsyncGenerator<NodePiece> {
  const files = [[program, path] as const, ['LICENSE', join(dirname(path), '../LICENSE')] as const]
  for (const [name, file] of files.filter(([, file]) => existsSync(file))) {
    const { size } = await stat(file)
    yield { name, size, piece: Buffer.alloc(0) }
    for await (const piece of createReadStream(file)) yield { name, size, piece: piece as Buffer }
  }
}

/** The library that this process loaded, for hosts that do not have it: Node needs it in addition to the C and C++ libraries. */
export function ownLibatomic(): string | undefined {
  if (process.platform !== 'linux') return undefined
  return /\S*\/libatomic\.so\S*/.exec(readFileSync('/proc/self/maps', 'utf8'))?.[0]
}

export async function sha512Of(path: string): Promise<Buffer> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return hash.digest()
}
