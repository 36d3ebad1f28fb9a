import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { ConfigError } from '../config.ts'
import { machineId } from '../facts.ts'
import { readTextIfThere } from '../files.ts'
import { messageOf } from '../log.ts'
import type { Settings } from '../settings.ts'
import { readStatus } from '../status.ts'
import type { Transport } from '../transport.ts'
import { fetchArtefact, fetchBytes } from './fetch.ts'
import { holdLock } from './lock.ts'
import { archiveFor, type Manifest, openManifest, Refused, stageOf } from './manifest.ts'
import { type Notes, readNotes, writeNotes } from './notes.ts'
import { prove } from './proof.ts'
import type { Service } from './service.ts'
import { watchTrial } from './trial.ts'
import { canUnpackXz, currentVersion, programOf, prune, swapTo, unpack } from './versions.ts'

export interface UpdateDeps {
  clock: Clock
  transport: Transport
  settings: Settings
  service: Service | undefined
  environment: NodeJS.ProcessEnv
  /** Where the versions are. */
  root: string
  /** Nobody asked for it: the stages of the release count. */
  byTimer: boolean
  /** How long a version may take to its first accepted push. */
  limitMs: number
  say(words: string): void
}

/** `<root>` of a program `<root>/versions/<version>/bin/vedette-agent`, however it was called; undefined for any other place. */
export function rootOf(program: string): string | undefined {
  return /^(.+)\/versions\/[^/]+\/bin\/vedette-agent$/.exec(realpathSync(program))?.[1]
}

/** The keys that were built in; where this is no single program, those beside the versions. */
export function trustedKeys(root: string): string {
  const { isSea, getAsset } = process.getBuiltinModule('node:sea')
  return isSea() ? getAsset('release-keys.pem', 'utf8') : (readTextIfThere(join(root, 'release-keys.pem')) ?? '')
}

/**
 * Brings the agent up to date: true where all is well afterwards, also with nothing to do; false where a version was taken back.
 * Throws Refused for what must not be installed. States are in `install.json`: none → trial → none, or none and one more blocked;
 * a trial that was cut off (the host went down) is taken up by the next call.
 */
export async function update(deps: UpdateDeps): Promise<boolean> {
  const { root, service } = deps
  const notes = readNotes(root)
  if (!service) throw new ConfigError(['no service manager runs here that could start the new version: run install.sh instead'])
  const release = holdLock(join(root, 'update.lock'))
  try {
    if (notes.trial) return await judge(deps, service, notes, notes.trial, service.restarts())
    const manifest = await fetchManifest(deps, notes)
    const current = currentVersion(root)
    const reason = reasonToStay(deps, notes, manifest, current)
    if (reason === undefined) return await replace(deps, service, notes, manifest, current)
    // A newer manifest of what is there: from now on an older one is refused.
    if (manifest.sequence > notes.sequence) writeNotes(root, { ...notes, sequence: manifest.sequence })
    deps.say(reason)
    return true
  } finally {
    release()
  }
}

async function fetchManifest({ transport, root, clock }: UpdateDeps, notes: Notes): Promise<Manifest> {
  const url = `${notes.releasesUrl}/manifest.json`
  const bytes = await fetchBytes(transport, url)
  const manifest = openManifest(bytes, await fetchBytes(transport, `${url}.sig`), trustedKeys(root), clock.now())
  if (manifest.sequence < notes.sequence)
    throw new Refused(`an older manifest (${manifest.sequence}) than the last that was accepted (${notes.sequence})`)
  return manifest
}

function reasonToStay({ settings, byTimer }: UpdateDeps, notes: Notes, manifest: Manifest, current: string): string | undefined {
  const { version, stagedPercent } = manifest
  if (version === current) return `version ${version} is the newest`
  if (notes.blocked.includes(version)) return `version ${version} was tried here and taken back: staying with ${current}`
  if (byTimer && stageOf(version, machineId(settings.stateDir)) >= stagedPercent)
    return `version ${version} is for ${stagedPercent} % of the hosts, and not for this one yet`
  return undefined
}

async function replace(deps: UpdateDeps, service: Service, notes: Notes, manifest: Manifest, current: string): Promise<boolean> {
  const { root, clock, say } = deps
  const { version, sequence } = manifest
  await bring(deps, notes, manifest)
  prove({ ...deps.settings, environment: deps.environment }, programOf(root, version), version, programOf(root, current))
  const trial = { version, previous: current, beganAtMs: clock.now() }
  const before = service.restarts()
  // Before the swap: whatever happens now, the next call knows what is being tried.
  const tried = { ...notes, sequence, trial }
  writeNotes(root, tried)
  swapTo(root, version)
  say(`version ${version} in place of ${current}: waiting for its first accepted push`)
  service.restart()
  return judge(deps, service, tried, trial, before)
}

async function bring({ root, transport }: UpdateDeps, notes: Notes, manifest: Manifest): Promise<void> {
  const artefact = archiveFor(manifest, notes.os, notes.arch, canUnpackXz())
  const download = join(root, 'download')
  // Closed to others, so that nobody can lay hands on the file between its digest and its unpacking.
  mkdirSync(download, { recursive: true, mode: 0o700 })
  try {
    const path = join(download, artefact.name)
    await fetchArtefact(transport, `${notes.releasesUrl}/${artefact.name}`, artefact, path)
    unpack(root, path, manifest.version)
  } finally {
    rmSync(download, { recursive: true, force: true })
  }
}

async function judge(
  { root, clock, settings, limitMs, say }: UpdateDeps,
  service: Service,
  notes: Notes,
  trial: NonNullable<Notes['trial']>,
  restartsBefore: number,
): Promise<boolean> {
  const { version, previous } = trial
  const watching = { clock, service, limitMs, readStatus: () => readStatus(settings.stateDir) }
  const verdict = await watchTrial(watching, trial, restartsBefore)
  const { trial: _, ...after } = notes
  if (verdict === 'good') {
    writeNotes(root, after)
    prune(root, [version, previous])
    say(`version ${version} pushes: it stays`)
    return true
  }
  swapTo(root, previous)
  writeNotes(root, { ...after, blocked: [...after.blocked, version] })
  const why = verdict === 'dying' ? 'died three times' : `brought no accepted push within ${limitMs / 1000} s`
  say(`version ${version} ${why}: back to ${previous}, and ${version} is not tried again`)
  try {
    service.restart()
  } catch (error) {
    say(`${previous} could not be started: ${messageOf(error)}`)
  }
  return false
}
