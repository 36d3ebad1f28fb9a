import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesBelow } from './archive.ts'
import type { Target } from './targets.ts'
import { template } from './template.ts'
import { type Build, run } from './tools.ts'
import { PACKAGE_PLACES, readUnit } from './tree.ts'

export const DEBIAN_ARCH = { x64: 'amd64', arm64: 'arm64' } as const
const RPM_ARCH = { x64: 'x86_64', arm64: 'aarch64' } as const

/** What a package puts on a host, from the folder of an archive. Debian 11 still keeps units below /lib. */
function layOut(build: Build, folder: string, root: string, unitFolder: string): void {
  const copies = { 'bin/vedette-agent': 'usr/bin/vedette-agent', 'lib/vedette/libatomic.so.1': 'usr/lib/vedette/libatomic.so.1' }
  for (const [from, to] of Object.entries(copies)) {
    mkdirSync(dirname(join(root, to)), { recursive: true })
    copyFileSync(join(folder, from), join(root, to))
  }
  for (const made of ['etc/vedette', 'usr/share/doc/vedette-agent', unitFolder]) mkdirSync(join(root, made), { recursive: true })
  cpSync(join(folder, 'share/vedette-agent/LICENSES.txt'), join(root, 'usr/share/doc/vedette-agent/LICENSES.txt'))
  cpSync(join(build.root, 'installers/files/agent.yaml'), join(root, 'etc/vedette/agent.yaml'))
  writeFileSync(join(root, unitFolder, 'vedette-agent.service'), readUnit(build, 'vedette-agent.service', PACKAGE_PLACES))
}

const snippet = (build: Build, name: string) => readFileSync(join(build.root, 'installers/packages', name), 'utf8').trimEnd()
/** What the scripts of both kinds of packages share. */
const snippets = (build: Build) => ({
  CREATE_USER: snippet(build, 'create-user.sh'),
  REFUSE_BACKEND: snippet(build, 'refuse-backend.sh'),
})

/** The name of the .deb that is made in `build.out` from the folder of an archive. `level` is that of xz. */
export async function makeDeb(build: Build, target: Target, folder: string, level = 6): Promise<string> {
  const root = join(build.work, `deb-${target.name}`)
  layOut(build, folder, root, 'lib/systemd/system')
  const control = join(root, 'DEBIAN')
  const files = filesBelow(root)
  mkdirSync(control)
  const bytes = files.reduce((sum, name) => sum + statSync(join(root, name)).size, 0)
  const values = { VERSION: build.version, ARCH: DEBIAN_ARCH[target.arch], KILOBYTES: String(Math.ceil(bytes / 1024)) }
  writeFileSync(join(control, 'control'), template(build, 'control', values))
  writeFileSync(join(control, 'conffiles'), '/etc/vedette/agent.yaml\n')
  const sums = files.filter((name) => !name.startsWith('etc/')).map((name) => `${md5Of(join(root, name))}  ${name}\n`)
  writeFileSync(join(control, 'md5sums'), sums.join(''))
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) {
    writeFileSync(join(control, name), template(build, name, snippets(build)))
    chmodSync(join(control, name), 0o755)
  }
  await run(build, 'chmod', ['-R', 'u+rwX,go+rX,go-w', root])
  const name = `vedette-agent_${build.version}_${values.ARCH}.deb`
  // One thread: more would give other bytes.
  const options = ['--root-owner-group', '-Zxz', `-z${level}`, '--threads-max=1', '--build']
  await run(build, 'dpkg-deb', [...options, root, join(build.out, name)])
  rmSync(root, { recursive: true })
  return name
}

/** Dpkg compares files by it, no more. */
export const md5Of = (path: string) => createHash('md5').update(readFileSync(path)).digest('hex')

/** The name of the .rpm that is made in `build.out`. Its payload is kept as it is: stripping would take the agent out of its Node. */
export async function makeRpm(build: Build, target: Target, folder: string, level = 6): Promise<string> {
  const top = join(build.work, `rpm-${target.name}`)
  const tree = join(top, 'tree')
  layOut(build, folder, tree, 'usr/lib/systemd/system')
  mkdirSync(join(tree, 'var/lib/vedette'), { recursive: true })
  const spec = join(top, 'vedette-agent.spec')
  writeFileSync(spec, template(build, 'vedette-agent.spec', { VERSION: build.version, TREE: tree, ...snippets(build) }))
  const arch = RPM_ARCH[target.arch]
  const macros = {
    _topdir: top,
    _rpmdir: top,
    _rpmfilename: 'made.rpm',
    _binary_payload: `w${level}.xzdio`,
    _build_id_links: 'none',
    _buildhost: 'vedette',
    __os_install_post: '%{nil}',
    debug_package: '%{nil}',
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    source_date_epoch_from_changelog: '0',
  }
  const defined = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`])
  await run(build, 'rpmbuild', ['-bb', '--quiet', '--target', `${arch}-linux`, ...defined, spec])
  const name = `vedette-agent-${build.version}-1.${arch}.rpm`
  copyFileSync(join(top, 'made.rpm'), join(build.out, name))
  rmSync(top, { recursive: true })
  return name
}
