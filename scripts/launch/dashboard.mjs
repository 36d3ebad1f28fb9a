// Builds the dashboard when its sources have changed since the last build.
//
// A build first removes the file that holds the fingerprint of its sources and writes it at the end, so an interrupted build is
// repeated. Contents are compared, not times: an unpacked release may be older than the build that it replaces.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { withLock } from './install.mjs'

/** The inputs of the build, including the versions of its tools. */
const SOURCES = [
  ...['index.html', 'vite.config.ts', 'package.json', 'public', 'src'].map((name) => `dashboard/${name}`),
  ...['client', 'shared'].flatMap((name) => [`${name}/package.json`, `${name}/src`]),
]

/** The build failed; the message ends with the output of the builder. */
export class BuildError extends Error {}

/** Builds with the Node at `node` unless the build is current; one process at a time. Throws BuildError and InstallError. */
export async function ensureDashboard(root, node, say) {
  if (!existsSync(join(root, 'dashboard/index.html')) || isBuilt(root)) return
  await withLock(root, async () => {
    // Another launch may have finished it while this one waited for the lock.
    if (!isBuilt(root)) build(root, node, say)
  })
}

const stampPath = (root) => join(root, 'dashboard/dist/.sources')

function isBuilt(root) {
  const stamp = stampPath(root)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprintOf(root)
}

function fingerprintOf(root) {
  const hash = createHash('sha256')
  for (const path of SOURCES.flatMap((name) => filesIn(root, name)))
    hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

/** Paths of the files at or below `path`, in the same order on every machine. */
function filesIn(root, path) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false })
  if (!stat?.isDirectory()) return stat ? [path] : []
  const names = readdirSync(join(root, path)).sort()
  return names.flatMap((name) => filesIn(root, `${path}/${name}`))
}

function build(root, node, say) {
  const startedAt = performance.now()
  const fingerprint = fingerprintOf(root)
  const vite = join(root, 'dashboard/node_modules/vite/bin/vite.js')
  const run = spawnSync(node, [vite, 'build', '--configLoader', 'native', '--logLevel', 'warn'], {
    cwd: join(root, 'dashboard'),
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (run.status !== 0) {
    const said = `${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}`.trimEnd()
    throw new BuildError(`The dashboard could not be built (${run.signal ?? `exit code ${run.status}`}):\n${said}`)
  }
  writeFileSync(stampPath(root), fingerprint)
  say(`set-up: dashboard built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}
