import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, cpSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesBelow } from './archive.ts'
import { writeManuals } from './manuals.ts'
import type { Target } from './targets.ts'
import { HOMEPAGE, MAINTAINER, rpmChangelog, writeDebianDocs } from './package-docs.ts'
import { template } from './template.ts'
import { type Build, run } from './tools.ts'
import { PACKAGE_PATHS, readUnit, SMART_UNITS } from './units.ts'

const DEBIAN_ARCH = { x64: 'amd64', arm64: 'arm64' } as const
const RPM_ARCH = { x64: 'x86_64', arm64: 'aarch64' } as const

/** Writes the files of a package, from the folder of an archive. Debian 11 still has units below /lib. */
async function writePackageTree(build: Build, folder: string, root: string, unitFolder: string): Promise<void> {
  const copies = { 'bin/vedette-agent': 'usr/bin/vedette-agent', 'lib/vedette/libatomic.so.1': 'usr/lib/vedette/libatomic.so.1' }
  for (const [from, to] of Object.entries(copies)) {
    mkdirSync(dirname(join(root, to)), { recursive: true })
    copyFileSync(join(folder, from), join(root, to))
  }
  for (const made of ['usr/share/doc/vedette-agent', 'usr/share/vedette-agent', unitFolder])
    mkdirSync(join(root, made), { recursive: true })
  cpSync(join(folder, 'share/vedette-agent/LICENSES.txt'), join(root, 'usr/share/doc/vedette-agent/LICENSES.txt'))
  for (const name of ['vedette-agent.service', ...SMART_UNITS])
    writeFileSync(join(root, unitFolder, name), readUnit(build, name, PACKAGE_PATHS))
  copyFileSync(join(build.root, 'installers/files/smart.sh'), join(root, 'usr/lib/vedette/smart.sh'))
  copyFileSync(join(build.root, 'installers/files/agent.yaml'), join(root, 'usr/share/vedette-agent/agent.yaml'))
  await writeManuals(build, 'vedette-agent', root)
}

const snippet = (build: Build, name: string) => readFileSync(join(build.root, 'installers/packages', name), 'utf8').trimEnd()
/** Shared by the scripts of .deb and .rpm. */
const snippets = (build: Build) => ({
  CREATE_USER: snippet(build, 'create-user.sh'),
  WRITE_CONFIG: snippet(build, 'write-config.sh'),
  FIND_OTHER: snippet(build, 'find-other.sh'),
  REFUSE_OTHER: snippet(build, 'refuse-other.sh'),
  REFUSE_BACKEND: snippet(build, 'refuse-backend.sh'),
})

/** Builds the .deb of the agent in `build.out` and returns its name. `level` is that of xz. */
export async function makeDeb(build: Build, target: Target, folder: string, level = 6): Promise<string> {
  const root = join(build.work, `deb-${target.name}`)
  await writePackageTree(build, folder, root, 'lib/systemd/system')
  writeDebianDocs(build, root, 'vedette-agent', '/usr/share/doc/vedette-agent/LICENSES.txt')
  const scripts = ['preinst', 'postinst', 'prerm', 'postrm'].map(
    (name) => [name, template(build, name, snippets(build))] as const,
  )
  return buildDeb(build, root, { name: 'vedette-agent', arch: target.arch, control: 'control', scripts, level })
}

interface DebPackage {
  name: string
  arch: Target['arch']
  /** File in installers/packages. */
  control: string
  /** Names and texts of the maintainer scripts. */
  scripts: readonly (readonly [string, string])[]
  /** Level of xz. */
  level: number
}

/**
 * Builds a .deb of the tree in `root`, which is removed; returns its file name in `build.out`. No file of a package is a conffile: its
 * postinst copies the config where there is none. dpkg asks about a conffile that install.sh or an operator wrote before, and fails
 * without a terminal.
 */
export async function buildDeb(build: Build, root: string, deb: DebPackage): Promise<string> {
  const arch = DEBIAN_ARCH[deb.arch]
  const files = filesBelow(root).filter((name) => !lstatSync(join(root, name)).isSymbolicLink())
  const kilobytes = files.reduce((sum, name) => sum + Math.ceil(statSync(join(root, name)).size / 1024), 0)
  const sums = files.map((name) => `${md5Of(join(root, name))}  ${name}\n`)
  const metadata = join(root, 'DEBIAN')
  mkdirSync(metadata)
  const values = { VERSION: build.version, ARCH: arch, KILOBYTES: String(kilobytes), MAINTAINER, HOMEPAGE }
  writeFileSync(join(metadata, 'control'), template(build, deb.control, values))
  writeFileSync(join(metadata, 'md5sums'), sums.join(''))
  for (const [name, text] of deb.scripts) {
    writeFileSync(join(metadata, name), text)
    chmodSync(join(metadata, name), 0o755)
  }
  await run(build, 'chmod', ['-R', 'u+rwX,go+rX,go-w', root])
  const file = `${deb.name}_${build.version}_${arch}.deb`
  // One thread for reproducible bytes.
  const options = ['--root-owner-group', '-Zxz', `-z${deb.level}`, '--threads-max=1', '--build']
  await run(build, 'dpkg-deb', [...options, root, join(build.out, file)])
  rmSync(root, { recursive: true })
  return file
}

/** dpkg only compares files with it. */
const md5Of = (path: string) => createHash('md5').update(readFileSync(path)).digest('hex')

/** Builds the .rpm of the agent in `build.out` and returns its name. Nothing is stripped: that would remove the agent from its Node. */
export async function makeRpm(build: Build, target: Target, folder: string, level = 6): Promise<string> {
  const top = join(build.work, `rpm-${target.name}`)
  const tree = join(top, 'tree')
  await writePackageTree(build, folder, tree, 'usr/lib/systemd/system')
  for (const made of ['var/lib/vedette', 'etc/vedette']) mkdirSync(join(tree, made), { recursive: true })
  const spec = join(top, 'vedette-agent.spec')
  const values = { VERSION: build.version, TREE: tree, HOMEPAGE, CHANGELOG: rpmChangelog(build), ...snippets(build) }
  writeFileSync(spec, template(build, 'vedette-agent.spec', values))
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
  if (build.rpmKey !== undefined) {
    // rpm does not look for gpg in PATH.
    const signing = ['--define', `_gpg_name ${build.rpmKey}`, '--define', '__gpg /usr/bin/gpg']
    await run(build, 'rpmsign', [...signing, '--addsign', join(top, 'made.rpm')])
  }
  const name = `vedette-agent-${build.version}-1.${arch}.rpm`
  copyFileSync(join(top, 'made.rpm'), join(build.out, name))
  rmSync(top, { recursive: true })
  return name
}
