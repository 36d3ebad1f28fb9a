import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { Step } from './steps.ts'

const execute = promisify(execFile)

/** Shared by all steps of one build. */
export interface Build {
  /** The repository. */
  root: string
  /** Temporary folder of this build, removed at its end. */
  work: string
  /** Output folder of the artefacts. */
  out: string
  version: string
  /** Commit time in seconds since 1970: the time of every packed file. */
  sourceEpoch: number
  /** PEM of the public keys that the programs trust; empty if nothing is signed. */
  releaseKeys: string
  /** Key of the GnuPG keyring that signs the .rpm. */
  rpmKey?: string
  environment: Record<string, string | undefined>
  /** Limits how many CPU-bound steps run at once. */
  step: Step
}

/** Runs a program and returns its standard output. Throws with the end of its output. */
export async function run(build: Build, command: string, args: readonly string[], cwd = build.work): Promise<string> {
  const env = { ...build.environment, SOURCE_DATE_EPOCH: String(build.sourceEpoch), LC_ALL: 'C.UTF-8', TZ: 'UTC' }
  try {
    const { stdout } = await execute(command, args, { cwd, env, maxBuffer: 64 * 1_048_576 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '', code } = error as { stdout?: string; stderr?: string; code?: unknown }
    if (code === 'ENOENT') throw new MissingTool(command)
    throw new Error(`${command} ${args.join(' ')}\n${(stdout + stderr).slice(-2000)}`, { cause: error })
  }
}

/** Debian packages of the programs that a build uses. */
const PACKAGES: Readonly<Record<string, string>> = {
  'apt-get': 'apt',
  'dpkg-deb': 'dpkg',
  makensis: 'nsis',
  msibuild: 'msitools',
  msiinfo: 'msitools',
  npm: 'npm',
  patchelf: 'patchelf',
  rpmbuild: 'rpm',
  rpmsign: 'rpm',
  strip: 'binutils',
  'aarch64-linux-gnu-strip': 'binutils-aarch64-linux-gnu',
  tar: 'tar',
  wixl: 'wixl',
  xz: 'xz-utils',
}

export class MissingTool extends Error {
  constructor(command: string) {
    const name = PACKAGES[command]
    super(`${command} is not installed${name === undefined ? '' : `; on Debian: apt-get install -y ${name}`}`)
  }
}

/** The first of these programs in PATH; throws if there is none. */
export function findProgram(build: Build, names: readonly string[]): string {
  const folders = [...(build.environment['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  const found = names.find((name) => folders.some((folder) => existsSync(join(folder, name))))
  if (found === undefined) throw new MissingTool(names[0] ?? '')
  return found
}

export async function hashOfFile(path: string, algorithm: 'sha256' | 'sha512', encoding: 'hex' | 'base64' = 'hex') {
  const hash = createHash(algorithm)
  await pipeline(createReadStream(path), hash)
  return hash.digest(encoding)
}
