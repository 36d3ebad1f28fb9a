// Installs the dependencies when they are missing or older than the lockfile.
//
// States of node_modules: absent · installing (no stamp, lock held) · installed (stamp holds the fingerprint).
// The stamp is removed before pnpm is fetched and written after it succeeds, so an interrupted install is repeated.
//
// Two scopes: `run` installs what the programs need, `all` also the tools of tests, lint and builds (devDependencies). Once all is
// installed it stays so.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasStore, npmArguments, pnpmDigest, pnpmPath, writePnpmLockfile } from './pnpm.mjs'
import { stepPrinter } from './progress.mjs'

/** The installation failed; the message ends with the remedy. */
export class InstallError extends Error {
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Installs what is missing for `scope` (run, all); one process at a time. Throws InstallError. */
export async function ensureInstalled(root, scope) {
  if (isInstalled(root, scope)) return
  await withLock(root, async () => {
    // Another launch may have finished it while this one waited for the lock.
    if (!isInstalled(root, scope)) await install(root, scope)
  })
}

const stampPath = (root) => join(root, 'node_modules', '.vedette-installed')

/** True when the last finished install was of this lockfile and scope, for this system, and no package links were removed since. */
export function isInstalled(root, scope) {
  const stamp = readStamp(root)
  return (
    stamp !== undefined &&
    stamp.fingerprint === fingerprintOf(root) &&
    (scope === 'run' || stamp.scope !== 'run') &&
    stamp.links.every((folder) => existsSync(join(root, folder)))
  )
}

/** @returns {{ fingerprint: string, scope?: 'run' | 'all', links: string[] } | undefined} undefined when an install has to run */
function readStamp(root) {
  try {
    return JSON.parse(readFileSync(stampPath(root), 'utf8'))
  } catch {
    return undefined // absent, unreadable or cut off
  }
}

/** Records that node_modules matches the lockfile. */
export function writeStamp(root, scope = 'all') {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const links = folders.map((entry) => `${entry.name}/node_modules`).filter((folder) => existsSync(join(root, folder)))
  writeFileSync(stampPath(root), `${JSON.stringify({ fingerprint: fingerprintOf(root), scope, links })}\n`)
}

function fingerprintOf(root) {
  const hash = createHash('sha256').update(pnpmDigest(root)).update(`${process.platform}-${process.arch}\n`)
  for (const name of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, name)))
  return hash.digest('hex')
}

async function install(root, wanted) {
  const startedAt = performance.now()
  const last = readStamp(root)
  const scope = last && last.scope !== 'run' ? 'all' : wanted
  const steps = stepPrinter(process.stderr)
  steps.step(existsSync(join(root, 'node_modules')) ? 'updating the dependencies' : 'installing the dependencies (first run)')
  try {
    rmSync(stampPath(root), { force: true })
    const { code, output } = await runPnpm(root, scope, steps)
    if (code !== 0) throw new InstallError(explain(output, code))
    writeStamp(root, scope)
    rmSync(setupFolder(root), { recursive: true, force: true })
  } catch (error) {
    steps.end()
    throw error instanceof InstallError ? error : new InstallError(explain(String(error), 1))
  }
  steps.step(`dependencies ready after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  steps.end()
}

/** Holds pnpm, and the caches of an install that leaves nothing in the home folder. One that was interrupted goes on with them. */
const setupFolder = (root) => join(root, '.setup')
const pnpmFolder = (root) => join(setupFolder(root), 'pnpm')

/** The path of pnpm, which is fetched. It stays until the next install. Throws InstallError. */
export async function ensurePnpm(root) {
  const steps = stepPrinter(process.stderr)
  await withLock(root, async () => {
    const { code, output } = await fetchPnpm(root, installEnvironment(root, process.env), steps)
    if (code !== 0) throw new InstallError(explain(output, code))
  })
  return pnpmPath(pnpmFolder(root))
}

function fetchPnpm(root, env, steps) {
  writePnpmLockfile(root, pnpmFolder(root))
  return runStep(root, steps, env, 'npm', npmArguments(pnpmFolder(root)))
}

/** Fetches pnpm and runs it. */
async function runPnpm(root, scope, steps) {
  // The check of the lockfile against the registry loads 150 MB; the lockfile is as trustworthy as the code next to it.
  const runOnly = scope === 'run' ? ['--prod', '--trust-lockfile'] : []
  const throwaway = scope === 'run' && !hasStore(process.env)
  const store = throwaway ? ['--store-dir', join(setupFolder(root), 'store')] : []
  const env = {
    ...installEnvironment(root, process.env),
    ...(throwaway ? { npm_config_cache: join(setupFolder(root), 'npm') } : {}),
  }
  const fetched = await fetchPnpm(root, env, steps)
  if (fetched.code !== 0) return fetched
  return runStep(root, steps, env, pnpmPath(pnpmFolder(root)), ['install', '--frozen-lockfile', ...runOnly, ...store])
}

/** Runs a program in a process group of its own, so that stopping the launcher stops it and everything it started. */
function runStep(root, steps, env, program, args) {
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true, env })
  const stop = (signal) => {
    if (child.pid) killGroup(child.pid)
    rmSync(lockPath(root), { force: true })
    steps.end()
    process.exit(signal === 'SIGINT' ? 130 : signal === 'SIGHUP' ? 129 : 143)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const signal of signals) process.on(signal, stop)

  let output = ''
  const read = (chunk) => {
    output = (output + chunk).slice(-20_000)
    for (const line of chunk.split('\n')) steps.readPnpmLine(line)
  }
  child.stdout.setEncoding('utf8').on('data', read)
  child.stderr.setEncoding('utf8').on('data', read)
  // A launcher that is SIGKILLed leaves its program running: the lock names both and is valid while either runs.
  if (child.pid) writeFileSync(lockPath(root), `${process.pid} ${child.pid}\n`)
  return new Promise((done) => {
    child.once('error', (error) => done({ code: 1, output: String(error) }))
    child.once('close', (code, signal) => done({ code: code ?? 1, output: signal ? `${output}\nended by ${signal}` : output }))
  }).finally(() => {
    for (const signal of signals) process.off(signal, stop)
  })
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGTERM')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error // gone already, which is what was wanted
  }
}

function installEnvironment(root, env) {
  // npm puts node_modules/.bin first, where `node` is the pinned one: npm must not run on the binary that pnpm replaces,
  // nor on one that may not start here.
  const inside = join(root, 'node_modules')
  const ownBin = process.execPath.startsWith(inside + sep) ? [] : [dirname(process.execPath)]
  const path = (env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(inside))
  return {
    ...env,
    PATH: [...ownBin, ...path].join(delimiter),
    CI: 'true', // no question whether node_modules may be replaced: nobody can answer through a pipe
    // By default npm and pnpm wait 10 s and 60 s for each package before they report that there is no network.
    ...Object.fromEntries(
      ['npm_config', 'pnpm_config'].flatMap((prefix) => [
        [`${prefix}_fetch_retry_mintimeout`, '1000'],
        [`${prefix}_fetch_retry_maxtimeout`, '5000'],
      ]),
    ),
  }
}

const CURES = [
  [
    /EINTEGRITY|TARBALL_INTEGRITY/,
    'A package is not the one that this checkout names. Try again; if it stays so, do not install from this registry.',
  ],
  [/spawn npm ENOENT/, 'npm was not found. Install it together with Node and run the same command again.'],
  [
    /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|CERT_|unable to verify/,
    'The certificate of the package registry is not trusted. Behind a proxy that inspects TLS, set NODE_EXTRA_CA_CERTS to its certificate.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|Failed to fetch|error sending request|ERR_SOCKET_TIMEOUT|ERR_PNPM_META_FETCH_FAIL|\bE5\d\d\b/,
    'The package registry cannot be reached. Check the network and, behind a proxy, HTTPS_PROXY and `npm config get registry`; then run the same command again.',
  ],
  [
    /ENOSPC/,
    'The disk is full. About 500 MB are needed in this folder, and for tests 1 GB more here and in the caches of your home folder.',
  ],
  [
    /EACCES|EROFS|EPERM/,
    'A folder cannot be written (see above). The checkout and your home folder (npm keeps its cache there) must belong to the user who runs this; HOME may point to another folder.',
  ],
  [
    /OUTDATED_LOCKFILE|FROZEN_LOCKFILE/,
    'pnpm-lock.yaml does not fit a package.json. After changing dependencies: npm run pnpm -- install',
  ],
]

/** The end of the output, and the remedy for the likely cause. */
export function explain(output, code) {
  const tail = output
    .trimEnd()
    .split('\n')
    .slice(-15)
    .map((line) => `  ${line}`)
  const cure =
    CURES.find(([pattern]) => pattern.test(output))?.[1] ??
    'Run the same command again; if it stays so, delete node_modules first.'
  return [...tail, `The dependencies could not be installed (exit code ${code}).`, cure].join('\n')
}

const lockPath = (root) => join(root, '.install-lock')

/** Runs `work` while no other launch of this checkout installs or builds. Takes over a lock whose processes have ended. */
export async function withLock(root, work) {
  let reported = false
  while (!(await takeLock(root))) {
    const [pid] = lockHolders(root)
    if (!reported && pid)
      process.stderr.write(`set-up: waiting for another one that is under way (process ${pid}; file .install-lock)\n`)
    reported ||= Boolean(pid)
    await sleep(250)
  }
  try {
    await work()
  } finally {
    rmSync(lockPath(root), { force: true })
  }
}

async function takeLock(root) {
  const holders = lockHolders(root)
  // An empty file was just created by its writer, unless it is old.
  if (holders.length > 0 ? holders.some((pid) => isAlive(pid)) : isYounger(lockPath(root), 5000)) return false
  const stale = existsSync(lockPath(root))
  if (stale) rmSync(lockPath(root), { force: true })
  try {
    writeFileSync(lockPath(root), `${process.pid}\n`, { flag: 'wx' })
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw new InstallError(`This folder cannot be written: ${error.message}\nThe checkout must belong to the user who runs this.`)
  }
  // Two processes that saw the same stale lock may each have removed it: the later file remains, and only its writer continues.
  if (stale) await sleep(100)
  return lockHolders(root)[0] === process.pid
}

function lockHolders(root) {
  try {
    return readFileSync(lockPath(root), 'utf8').trim().split(' ').map(Number).filter(Boolean)
  } catch {
    return [] // released between two reads
  }
}

function isYounger(path, ageMs) {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs < ageMs
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM' // another user's process: alive
  }
}
