import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const UNIT = 'vedette.service'
const USER = 'vedette-backend'
const ETC = 'etc/systemd/system'
const PACKAGED = ['usr/lib/systemd/system', 'lib/systemd/system']
const SETTINGS = 'etc/vedette-backend/vedette.env'

/** The host as its administrator sees it. */
export interface SystemdHost {
  /** `/`, or a folder that stands for it. */
  root: string
  isAdmin: boolean
  /** Runs a program of the host to its end. */
  run(program: string, args: readonly string[]): { status: number | null; output: string }
}

export interface ServiceFiles {
  unit: string
  settings: string
  /** The program as the unit calls it, without `start`. */
  program: readonly string[]
}

export interface ServiceState {
  unitFile: string | undefined
  /** Whether the unit is the one that this program would write; of a package's unit: undefined. */
  isCurrent: boolean | undefined
  /** In the words of systemd. */
  active: string
  enabled: string
}

/** Writes user, settings and unit, and starts the service; done again, it brings unit and service up to date and keeps the settings. */
export function installService(host: SystemdHost, files: ServiceFiles, isToStart: boolean): string {
  refuseElsewhere(host)
  refusePackaged(host, `start it by "systemctl enable --now ${UNIT}"`)
  if (host.run('getent', ['group', USER]).status !== 0) must(host, 'groupadd', ['--system', USER])
  if (host.run('getent', ['passwd', USER]).status !== 0) {
    const account = ['--system', '--gid', USER, '--home-dir', `/var/lib/${USER}`, '--no-create-home']
    must(host, 'useradd', [...account, '--shell', '/usr/sbin/nologin', '--comment', 'Vedette backend', USER])
  }
  // A folder that the user may not enter would show only as a service that fails again and again.
  must(host, 'runuser', ['-u', USER, '--', ...files.program, 'version'])
  keepSettings(host, files.settings)
  const path = join(host.root, ETC, UNIT)
  mkdirSync(join(host.root, ETC), { recursive: true })
  writeFileSync(path, files.unit)
  chmodSync(path, 0o644)
  must(host, 'systemctl', ['daemon-reload'])
  if (!isToStart) return path
  must(host, 'systemctl', ['enable', UNIT])
  must(host, 'systemctl', ['restart', UNIT])
  return path
}

/** Stops the service and removes its unit; data, settings and user stay. Without a unit there is nothing to do. */
export function uninstallService(host: SystemdHost): boolean {
  refuseElsewhere(host)
  refusePackaged(host, 'its package manager removes it')
  const path = join(host.root, ETC, UNIT)
  if (!existsSync(path)) return false
  must(host, 'systemctl', ['disable', '--now', UNIT])
  rmSync(path)
  must(host, 'systemctl', ['daemon-reload'])
  return true
}

/** How the service stands; anybody may ask. */
export function readService(host: SystemdHost, unit: string): ServiceState {
  refuseWithoutSystemd(host)
  const found = [ETC, ...PACKAGED].map((folder) => join(host.root, folder, UNIT)).find((path) => existsSync(path))
  const ask = (word: string): string => host.run('systemctl', [word, UNIT]).output.trim() || 'unknown'
  return {
    unitFile: found,
    isCurrent: found === join(host.root, ETC, UNIT) ? readFileSync(found, 'utf8') === unit : undefined,
    active: ask('is-active'),
    enabled: found === undefined ? 'not-found' : ask('is-enabled'),
  }
}

/** Secrets may stand in them: for root, and readable for the service. */
function keepSettings(host: SystemdHost, settings: string): void {
  const path = join(host.root, SETTINGS)
  if (existsSync(path)) return
  mkdirSync(join(host.root, 'etc/vedette-backend'), { recursive: true })
  writeFileSync(path, settings, { mode: 0o640 })
  must(host, 'chown', [`root:${USER}`, path])
}

function refuseWithoutSystemd({ root }: SystemdHost): void {
  if (existsSync(join(root, 'run/systemd/system'))) return
  throw new Error('No systemd runs here (/run/systemd/system is missing): let what starts services here run "vedette start".')
}

function refuseElsewhere(host: SystemdHost): void {
  refuseWithoutSystemd(host)
  if (!host.isAdmin) throw new Error('Only root may change the services of this host: call it by sudo.')
}

function refusePackaged({ root }: SystemdHost, instead: string): void {
  if (PACKAGED.some((folder) => existsSync(join(root, folder, UNIT))))
    throw new Error(`A package has brought ${UNIT} to this host: ${instead}.`)
}

function must(host: SystemdHost, program: string, args: readonly string[]): void {
  const { status, output } = host.run(program, args)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${output.trim() || `it ended with ${status}`}`)
}
