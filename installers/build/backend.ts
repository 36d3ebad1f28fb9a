import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backendLicences, copyPackages, includedPackages } from './backend-contents.ts'
import { fetchBase, fetchLibatomic } from './bases.ts'
import type { NpmPackage } from './closure.ts'
import type { Target } from './targets.ts'
import { type Build, findProgram, run } from './tools.ts'
import { BACKEND_UNITS, readUnit } from './units.ts'

/** Files that the backend reads three folders above its own file, packed and in the sources: dashboard, install scripts, units. */
export const RUNTIME_FILES: readonly string[] = [
  'dashboard/dist',
  'installers/scripts',
  'installers/units',
  'installers/files/vedette.env',
  'installers/files/agent.yaml',
  'installers/files/smart.sh',
]

const ARCHIVE_PATHS = { program: '/opt/vedette/bin/vedette', docs: '/opt/vedette/share' }

const CONTAINERFILES = [
  ['Containerfile', 'Containerfile.backend'],
  ['Containerfile.probe', 'Containerfile.probe'],
] as const

/** Bundles the backend and builds the dashboard in the checkout; the same for every target. */
export async function bundleBackend(build: Build): Promise<void> {
  await run(build, process.execPath, [join(build.root, 'scripts/launch.mjs'), 'dashboard'], build.root)
  const rolldown = join(build.root, 'node_modules/rolldown/bin/cli.mjs')
  await run(build, process.execPath, [rolldown, '-c', 'rolldown.config.ts'], join(build.root, 'backend'))
}

/** Creates a folder with the backend, the dashboard, an agent, Node and Postgres; returns its name in `build.work`. */
export async function makeBackendFolder(build: Build, target: Target, natives: readonly NpmPackage[]): Promise<string> {
  const name = `vedette-${build.version}-${target.name}`
  const folder = join(build.work, name)
  // The depth below `app` equals that of the sources, by which the backend finds dashboard and agent.
  const dist = join(folder, 'app/backend/dist')
  mkdirSync(dist, { recursive: true })
  cpSync(join(build.root, 'backend/dist/bundle'), dist, { recursive: true, filter: (path) => !path.endsWith('.sources') })
  for (const path of RUNTIME_FILES) cpSync(join(build.root, path), join(folder, path), { recursive: true })
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
  mkdirSync(join(folder, 'agent/dist'), { recursive: true })
  for (const file of readdirSync(bundle).filter((name) => /\.cjs$|^bundle\.json$/.test(name)))
    copyFileSync(join(bundle, file), join(folder, 'agent/dist', file))
}

/** Copies Node, stripped, and libatomic, which Debian 11 and 12 do not have. */
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
  for (const unit of BACKEND_UNITS) writeFileSync(join(share, unit), readUnit(build, unit, ARCHIVE_PATHS))
  for (const [name, source] of CONTAINERFILES) {
    const text = readFileSync(join(build.root, 'installers/files', source), 'utf8')
    writeFileSync(join(share, name), text.replaceAll('@VERSION@', build.version).replaceAll('@ARCH@', target.arch))
  }
  for (const name of ['compose.yaml', 'vedette.env']) copyFileSync(join(build.root, 'installers/files', name), join(share, name))
  const node = await fetchBase(build, target.base)
  writeFileSync(join(share, 'LICENSES.txt'), backendLicences(build, includedPackages(build, natives), node))
}
