// pnpm in the version and by the digest that this repository names. npm installs the one program that this machine needs from a
// lockfile that is written for it: npm leaves out an optional package that fails its digest, and does not say so.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const TABLE = 'scripts/launch/pnpm.json'

/** The name of this system in the packages of pnpm: linux-x64, darwin-arm64, linux-x64-musl. */
function systemName() {
  const { platform, arch } = process
  if (platform !== 'linux') return `${platform}-${arch}`
  process.report.excludeNetwork = true // otherwise it looks up the names of open connections
  return process.report.getReport().header.glibcVersionRuntime ? `linux-${arch}` : `linux-${arch}-musl`
}

/** What the fingerprint of an install contains of it. */
export const pnpmDigest = (root) => readFileSync(join(root, TABLE))

/** The program in a folder that `writePnpmLockfile` and npm filled. */
export const pnpmPath = (folder) => join(folder, 'node_modules', '@pnpm', `exe.${systemName()}`, 'pnpm')

/** Writes what `npm ci` reads. A system without a digest in the table gets that version as the registry has it. */
export function writePnpmLockfile(root, folder) {
  const { version, integrity } = JSON.parse(readFileSync(join(root, TABLE), 'utf8'))
  const system = systemName()
  const name = `@pnpm/exe.${system}`
  const dependencies = { [name]: version }
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity: integrity[system] } }
  mkdirSync(folder, { recursive: true })
  const write = (file, content) => writeFileSync(join(folder, file), JSON.stringify(content))
  write('package.json', { private: true, dependencies })
  write('package-lock.json', { lockfileVersion: 3, requires: true, packages })
}

/** Arguments of npm. The cache may hold the package, and its digest says whether it is the right one. */
export const npmArguments = (folder) => [
  'ci',
  '--prefix',
  folder,
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  // Under `npm test --silent` npm would end without a word.
  '--loglevel=error',
]

/** True when pnpm has a store in the home folder: packages are then likely in it. */
export function hasStore(env) {
  const shared = process.platform === 'darwin' ? 'Library' : '.local/share'
  const folder = env.PNPM_HOME ?? join(env.XDG_DATA_HOME ?? join(homedir(), shared), 'pnpm')
  return existsSync(join(folder, 'store'))
}
