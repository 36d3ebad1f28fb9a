import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compressXz, packTar } from './archive.ts'
import { bundleBackend, makeBackendFolder } from './backend.ts'
import { makeBackendDeb } from './backend-deb.ts'
import { nativePackages, includedPackages, postgresComponents } from './backend-contents.ts'
import type { NpmPackage } from './closure.ts'
import { writeSbom } from './contents.ts'
import type { BuiltFile } from './manifest.ts'
import type { Target } from './targets.ts'
import type { Build } from './tools.ts'

/** Level of xz: two thirds of the time of level 6 for 4 % more bytes; a backend is downloaded seldom. */
const LEVEL = 4

/** Builds the backend for the Linux targets, and its SBOM; needs the bundle of the agent. */
export async function makeBackends(build: Build, targets: readonly Target[]): Promise<BuiltFile[]> {
  const wanted = targets.filter(({ os }) => os === 'linux')
  if (wanted.length === 0) return []
  await build.step('backend: dashboard and bundle', () => bundleBackend(build))
  const made = await Promise.all(
    wanted.map(async (target) => {
      const natives = await nativePackages(build, target)
      return { natives, files: await makeBackend(build, target, natives) }
    }),
  )
  const natives = made.flatMap((one) => one.natives)
  const name = `vedette-${build.version}.cdx.json`
  const packages = includedPackages(build, natives)
  const others = (await Promise.all(made.map((one) => postgresComponents(one.natives)))).flat()
  writeFileSync(
    join(build.out, name),
    writeSbom(build, 'vedette', { packages, targets: wanted, versions: process.versions, others }),
  )
  const sbom: BuiltFile = { program: 'vedette', os: 'any', arch: 'any', name, kind: 'sbom' }
  return [...made.flatMap(({ files }) => files), sbom]
}

async function makeBackend(build: Build, target: Target, natives: readonly NpmPackage[]): Promise<BuiltFile[]> {
  const step = (name: string, work: () => Promise<string>) => build.step(`backend ${target.name}: ${name}`, work)
  const name = await step('folder', () => makeBackendFolder(build, target, natives))
  const tar = await packTar(build, build.work, name)
  const [archive, deb] = await Promise.all([
    step('tar.xz', () => compressXz(build, tar, target.arch, LEVEL)),
    step('deb', () => makeBackendDeb(build, target, join(build.work, name), LEVEL)),
  ])
  rmSync(tar)
  const about = { program: 'vedette', os: target.os, arch: target.arch } as const
  return [
    { ...about, name: archive, kind: 'archive' },
    { ...about, name: deb, kind: 'deb' },
  ]
}
