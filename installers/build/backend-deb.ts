import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeManuals } from './manuals.ts'
import { writeDebianDocs } from './package-docs.ts'
import { buildDeb } from './packages.ts'
import type { Target } from './targets.ts'
import { template } from './template.ts'
import type { Build } from './tools.ts'
import { BACKEND_UNITS, readUnit } from './units.ts'

const PACKAGE_PATHS = { program: '/usr/bin/vedette', docs: '/usr/lib/vedette-backend/share' }

/** Builds the .deb of the backend in `build.out` and returns its name. */
export async function makeBackendDeb(build: Build, target: Target, folder: string, level: number): Promise<string> {
  const root = join(build.work, `deb-backend-${target.arch}`)
  const home = join(root, 'usr/lib/vedette-backend')
  for (const made of [dirname(home), ...['usr/bin', 'lib/systemd/system'].map((name) => join(root, name))])
    mkdirSync(made, { recursive: true })
  cpSync(folder, home, { recursive: true, verbatimSymlinks: true })
  symlinkSync('../lib/vedette-backend/bin/vedette', join(root, 'usr/bin/vedette'))
  for (const unit of BACKEND_UNITS) writeFileSync(join(root, 'lib/systemd/system', unit), readUnit(build, unit, PACKAGE_PATHS))
  await writeManuals(build, 'vedette', root)
  writeDebianDocs(build, root, 'vedette', '/usr/lib/vedette-backend/share/LICENSES.txt')
  const scripts = ['postinst', 'prerm', 'postrm'].map((name) => [name, template(build, `backend.${name}`, {})] as const)
  return buildDeb(build, root, { name: 'vedette', arch: target.arch, control: 'backend.control', scripts, level })
}
