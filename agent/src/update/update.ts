import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../process/clock.ts'
import { ConfigError } from '../config/config.ts'
import { machineId } from '../facts/facts.ts'
import { readTextIfThere } from '../process/files.ts'
import { messageOf } from '../process/log.ts'
import type { Settings } from '../config/settings.ts'
import { readStatus } from '../process/status.ts'
import type { Transport } from '../push/transport.ts'
import { fetchArtefact, fetchBytes } from './fetch.ts'
import { acquireLock } from './lock.ts'
import { archiveFor, type Manifest, verifyManifest, RejectedRelease, stageOf } from './manifest.ts'
import { type InstallRecord, readInstallRecord, writeInstallRecord } from './install-record.ts'
import { preflight } from './preflight.ts'
import type { Service } from './service.ts'
import { watchTrial } from './trial.ts'
import { canUnpackXz, currentVersion, programOf, prune, activate, unpack } from './versions.ts'

export interface UpdateDeps {
  clock: Clock
  transport: Transport
  settings: Settings
  service: Service | undefined
  environment: NodeJS.ProcessEnv
  /** Where the versions are. */
  root: string
  /** Started by the timer: staged rollout applies. */
  byTimer: boolean
  /** Time limit for the first accepted push of a new version. */
  limitMs: number
  print(line: string): void
}

/** `<root>` of a program `<root>/versions/<version>/bin/vedette-agent`, links resolved; undefined for any other path. */
export function rootOf(program: string): string | undefined {
  return /^(.+)\/versions\/[^/]+\/bin\/vedette-agent$/.exec(realpathSync(program))?.[1]
}

/** The built-in release keys; run from sources, those next to the versions. */
export function trustedKeys(root: string): string {
  const { isSea, getAsset } = process.getBuiltinModule('node:sea')
  return isSea() ? getAsset('release-keys.pem', 'utf8') : (readTextIfThere(join(root, 'release-keys.pem')) ?? '')
}

/**
 * Updates the agent: true on success or if there is nothing to do, false after a rollback. Throws RejectedRelease for what must not be
 * installed. The state is in `install.json`: none → trial → none, with the version blocked after a rollback; the next call continues
 * an interrupted trial.
 */
export async function update(deps: UpdateDeps): Promise<boolean> {
  const { root, service } = deps
  const record = readInstallRecord(root)
  if (!service) throw new ConfigError(['no supported service manager runs here to restart the agent: run install.sh instead'])
  const release = acquireLock(join(root, 'update.lock'))
  try {
    if (record.trial) return await finishTrial(deps, service, record, record.trial, service.restarts())
    const manifest = await fetchManifest(deps, record)
    const current = currentVersion(root)
    const reason = reasonToSkip(deps, record, manifest, current)
    if (reason === undefined) return await replace(deps, service, record, manifest, current)
    // A newer manifest of the same version: from now on older ones are rejected.
    if (manifest.sequence > record.sequence) writeInstallRecord(root, { ...record, sequence: manifest.sequence })
    deps.print(reason)
    return true
  } finally {
    release()
  }
}

async function fetchManifest({ transport, root, clock }: UpdateDeps, record: InstallRecord): Promise<Manifest> {
  const url = `${record.releasesUrl}/manifest.json`
  const bytes = await fetchBytes(transport, url)
  const manifest = verifyManifest(bytes, await fetchBytes(transport, `${url}.sig`), trustedKeys(root), clock.now())
  if (manifest.sequence < record.sequence)
    throw new RejectedRelease(`the manifest (${manifest.sequence}) is older than the last accepted one (${record.sequence})`)
  return manifest
}

function reasonToSkip(
  { settings, byTimer }: UpdateDeps,
  record: InstallRecord,
  manifest: Manifest,
  current: string,
): string | undefined {
  const { version, stagedPercent } = manifest
  if (version === current) return `version ${version} is up to date`
  if (record.blocked.includes(version)) return `version ${version} was rolled back on this host before: staying with ${current}`
  if (byTimer && stageOf(version, machineId(settings.stateDir)) >= stagedPercent)
    return `version ${version} is rolled out to ${stagedPercent} % of the hosts, not yet to this one`
  return undefined
}

async function replace(
  deps: UpdateDeps,
  service: Service,
  record: InstallRecord,
  manifest: Manifest,
  current: string,
): Promise<boolean> {
  const { root, clock, print } = deps
  const { version, sequence } = manifest
  await downloadRelease(deps, record, manifest)
  preflight({ ...deps.settings, environment: deps.environment }, programOf(root, version), version, programOf(root, current))
  const trial = { version, previous: current, beganAtMs: clock.now() }
  const before = service.restarts()
  // Before the switch: if the update is interrupted now, the next call knows the trial.
  const tried = { ...record, sequence, trial }
  writeInstallRecord(root, tried)
  activate(root, version)
  print(`switched from version ${current} to ${version}: waiting for its first accepted push`)
  service.restart()
  return finishTrial(deps, service, tried, trial, before)
}

async function downloadRelease({ root, transport }: UpdateDeps, record: InstallRecord, manifest: Manifest): Promise<void> {
  const artefact = archiveFor(manifest, record.os, record.arch, canUnpackXz())
  const download = join(root, 'download')
  // Closed to others, so that nobody can change the file between verification and unpacking.
  mkdirSync(download, { recursive: true, mode: 0o700 })
  try {
    const path = join(download, artefact.name)
    await fetchArtefact(transport, `${record.releasesUrl}/${artefact.name}`, artefact, path)
    unpack(root, path, manifest.version)
  } finally {
    rmSync(download, { recursive: true, force: true })
  }
}

async function finishTrial(
  { root, clock, settings, limitMs, print }: UpdateDeps,
  service: Service,
  record: InstallRecord,
  trial: NonNullable<InstallRecord['trial']>,
  restartsBefore: number,
): Promise<boolean> {
  const { version, previous } = trial
  const watching = { clock, service, limitMs, readStatus: () => readStatus(settings.stateDir) }
  const result = await watchTrial(watching, trial, restartsBefore)
  const { trial: _, ...after } = record
  if (result === 'accepted') {
    writeInstallRecord(root, after)
    prune(root, [version, previous])
    print(`version ${version} pushes: update finished`)
    return true
  }
  activate(root, previous)
  writeInstallRecord(root, { ...after, blocked: [...after.blocked, version] })
  const reason = result === 'crashing' ? 'crashed three times' : `had no accepted push within ${limitMs / 1000} s`
  print(`version ${version} ${reason}: rolled back to ${previous}; ${version} is not tried again`)
  try {
    service.restart()
  } catch (error) {
    print(`version ${previous} could not be started: ${messageOf(error)}`)
  }
  return false
}
