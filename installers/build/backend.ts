import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backendLicences, copyPackages, packagesInside } from './backend-inside.ts'
import { fetchBase, fetchLibatomic } from './bases.ts'
import type { NpmPackage } from './closure.ts'
import type { Target } from './targets.ts'
import { type Build, findProgram, run } from './tools.ts'
import { readUnit } from './tree.ts'

/** What the backend reads from three folders above its own file, here and in the sources: page, scripts for hosts, its unit. */
export const LOOKED_UP: readonly string[] = [
  'dashboard/dist',
  'installers/scripts',
  'installers/units/vedette.service',
  'installers/files/vedette.env',
]

const ARCHIVE_PLACES = { program: '/opt/vedette/bin/vedette', docs: '/opt/vedette/share' }

/** Bundles the backend and builds its page in the checkout; the same for every target. */
export async function bundleBackend(build: Build): Promise<void> {
  await run(build, process.execPath, [join(build.root, 'scripts/launch.mjs'), 'dashboard'], build.root)
  const rolldown = join(build.root, 'node_modules/rolldown/bin/cli.mjs')
  await run(build, process.execPath, [rolldown, '-c', 'rolldown.config.ts'], join(build.root, 'backend'))
}

/** The backend with its page, its own agent, Node and Postgres as one folder; answers its name below `build.work`. */
export async function makeBackendFolder(build: Build, target: Target, natives: readonly NpmPackage[]): Promise<string> {
  const name = `vedette-${build.version}-${target.name}`
  const folder = join(build.work, name)
  // The depth below `app` is that of the sources, by which the backend finds page and agent.
  const dist = join(folder, 'app/backend/dist')
  mkdirSync(dist, { recursive: true })
  for (const file of ['vedette.mjs', 'vedette-prober.mjs']) copyFileSync(join(build.root, 'backend/dist', file), join(dist, file))
  for (const place of LOOKED_UP) cpSync(join(build.root, place), join(folder, place), { recursive: true })
  copyAgent(build, folder)
  copyPackages(build, natives, join(folder, 'app/node_modules'))
  await copyNode(build, target, folder)
  mkdirSync(join(folder, 'bin'))
  copyFileSync(join(build.root, 'installers/files/vedette.sh'), join(folder, 'bin/vedette'))
  chmodSync(join(folder, 'bin/vedette'), 0o755)
  await writeShare(build, target, folder, natives)
  return name
}

function copyAgent(build: Build, folder: string): void {
  const bundle = join(build.work, 'bundle')
  mkdirSync(join(folder, 'agent'))
  for (const file of readdirSync(bundle).filter((name) => name.endsWith('.cjs')))
    copyFileSync(join(bundle, file), join(folder, 'agent', file))
}

/** Node, stripped, with the libatomic that Debian 11 and 12 lack beside it. */
async function copyNode(build: Build, target: Target, folder: string): Promise<void> {
  const [node, library] = [join(folder, 'node/bin/node'), join(folder, 'node/lib/libatomic.so.1')]
  for (const made of [node, library]) mkdirSync(dirname(made), { recursive: true })
  const base = await fetchBase(build, target.base)
  await run(build, findProgram(build, target.strip ?? []), ['-o', node, join(base, target.base.program)])
  await run(build, 'patchelf', ['--set-rpath', '$ORIGIN/../lib', node])
  chmodSync(node, 0o755)
  if (target.libatomic) copyFileSync(await fetchLibatomic(build, target.libatomic), library)
}

async function writeShare(build: Build, target: Target, folder: string, natives: readonly NpmPackage[]): Promise<void> {
  const share = join(folder, 'share')
  mkdirSync(share)
  writeFileSync(join(share, 'vedette.service'), readUnit(build, 'vedette.service', ARCHIVE_PLACES))
  const container = readFileSync(join(build.root, 'installers/files/Containerfile.backend'), 'utf8')
  writeFileSync(join(share, 'Containerfile'), container.replaceAll('@VERSION@', build.version).replaceAll('@ARCH@', target.arch))
  for (const name of ['compose.yaml', 'vedette.env']) copyFileSync(join(build.root, 'installers/files', name), join(share, name))
  const node = await fetchBase(build, target.base)
  writeFileSync(join(share, 'LICENSES.txt'), backendLicences(build, packagesInside(build, natives), node))
}
