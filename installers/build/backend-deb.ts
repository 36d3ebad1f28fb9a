import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filesBelow } from './archive.ts'
import { DEBIAN_ARCH, md5Of } from './packages.ts'
import type { Target } from './targets.ts'
import { template } from './template.ts'
import { type Build, run } from './tools.ts'
import { readUnit } from './tree.ts'

const PACKAGE_PLACES = { program: '/usr/bin/vedette', docs: '/usr/lib/vedette-backend/share' }

/** The name of the .deb that is made in `build.out` from the folder of the backend. */
export async function makeBackendDeb(build: Build, target: Target, folder: string, level: number): Promise<string> {
  const root = join(build.work, `deb-backend-${target.arch}`)
  const arch = DEBIAN_ARCH[target.arch]
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
  symlinkSync('../lib/vedette-backend/bin/vedette', join(root, 'usr/bin/vedette'))
  writeFileSync(join(root, 'lib/systemd/system/vedette.service'), readUnit(build, 'vedette.service', PACKAGE_PLACES))
  copyFileSync(join(build.root, 'installers/files/vedette.env'), join(root, 'etc/vedette-backend/vedette.env'))
  const files = filesBelow(root).filter((name) => !/^(?:DEBIAN|etc|usr\/bin)\//.test(name))
  const kilobytes = files.reduce((sum, name) => sum + Math.ceil(statSync(join(root, name)).size / 1024), 0)
  writeFileSync(join(control, 'md5sums'), files.map((name) => `${md5Of(join(root, name))}  ${name}\n`).join(''))
  writeFileSync(
    join(control, 'control'),
    template(build, 'backend.control', { VERSION: build.version, ARCH: arch, KILOBYTES: String(kilobytes) }),
  )
  writeFileSync(join(control, 'conffiles'), '/etc/vedette-backend/vedette.env\n')
  for (const name of ['postinst', 'prerm', 'postrm']) {
    writeFileSync(join(control, name), template(build, `backend.${name}`, {}))
    chmodSync(join(control, name), 0o755)
  }
  await run(build, 'chmod', ['-R', 'u+rwX,go+rX,go-w', root])
  const name = `vedette_${build.version}_${arch}.deb`
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
