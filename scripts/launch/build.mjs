// Builds the dashboard and the bundles of backend and agent when their sources have changed since the last build.
//
// A build first removes the file that holds the fingerprint of its sources and writes it at the end, so an interrupted build is
// repeated. Contents are compared, not times: an unpacked release may be older than the build that it replaces.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { withLock } from './install.mjs'

const VITE = ['dashboard/node_modules/vite/bin/vite.js', 'build', '--configLoader', 'native', '--logLevel', 'warn']
const ROLLDOWN = ['node_modules/rolldown/bin/cli.mjs', '-c', 'rolldown.config.ts', '--logLevel', 'silent']

/** What each build reads, the versions of its tools and packages included, where it writes, and how it is made in its folder. */
const BUILDS = {
  dashboard: {
    sources: [
      ...['index.html', 'vite.config.ts', 'package.json', 'public', 'src'].map((name) => `dashboard/${name}`),
      ...['client', 'shared'].flatMap((name) => [`${name}/package.json`, `${name}/src`]),
    ],
    output: 'dashboard/dist',
    command: VITE,
  },
  backend: {
    sources: [...['rolldown.config.ts', 'migrations', 'src'].map((name) => `backend/${name}`), 'shared/src', 'pnpm-lock.yaml'],
    output: 'backend/dist/bundle',
    command: ROLLDOWN,
  },
  agent: {
    sources: [...['rolldown.config.ts', 'src'].map((name) => `agent/${name}`), 'shared/src', 'pnpm-lock.yaml'],
    output: 'agent/dist',
    command: ROLLDOWN,
  },
}

/** The build failed; the message ends with the output of the builder. */
export class BuildError extends Error {}

/**
 * Makes those of the named builds that are not current, with the Node at `node`; one process at a time. A build without sources, as
 * in a part of a checkout, is left alone. Throws BuildError and InstallError.
 */
export async function ensureBuilt(root, node, names, say) {
  const due = () => names.filter((name) => isInCheckout(root, name) && !isBuilt(root, name))
  if (due().length === 0) return
  await withLock(root, async () => {
    // Another launch may have finished it while this one waited for the lock.
    for (const name of due()) build(root, node, name, say)
  })
}

const isInCheckout = (root, name) => existsSync(join(root, BUILDS[name].sources[0]))
const stampPath = (root, name) => join(root, BUILDS[name].output, '.sources')

function isBuilt(root, name) {
  const stamp = stampPath(root, name)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprintOf(root, name)
}

function fingerprintOf(root, name) {
  const hash = createHash('sha256')
  for (const path of BUILDS[name].sources.flatMap((source) => filesIn(root, source)))
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

function build(root, node, name, say) {
  const startedAt = performance.now()
  const fingerprint = fingerprintOf(root, name)
  const [program, ...args] = BUILDS[name].command
  rmSync(stampPath(root, name), { force: true })
  const run = spawnSync(node, [join(root, program), ...args], {
    cwd: join(root, name),
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (run.status !== 0) {
    const said = `${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}`.trimEnd()
    throw new BuildError(`The ${name} could not be built (${run.signal ?? `exit code ${run.status}`}):\n${said}`)
  }
  writeFileSync(stampPath(root, name), fingerprint)
  say(`set-up: ${name} built in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}
