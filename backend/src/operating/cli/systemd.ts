import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const UNIT = 'vedette.service'
const BACKUP_UNIT = 'vedette-backup.service'
const USER = 'vedette-backend'
const ETC = 'etc/systemd/system'
const PACKAGED = ['usr/lib/systemd/system', 'lib/systemd/system']
const SETTINGS = 'etc/vedette-backend/vedette.env'

export interface SystemdHost {
  /** `/`, or in tests a folder. */
  root: string
  isAdmin: boolean
  /** Runs a program until it ends. */
  run(program: string, args: readonly string[]): { status: number | null; output: string }
}

export interface ServiceFiles {
  unit: string
  settings: string
  /** The command of the unit without `start`. */
  program: readonly string[]
}

export interface ServiceState {
  unitFile: string | undefined
  /** Whether this program would write the same unit; undefined for the unit of a package. */
  isCurrent: boolean | undefined
  /** As `systemctl is-active` prints it. */
  active: string
  enabled: string
}

/** Creates the user, the settings and the unit, and starts the service. A repeat updates the unit and keeps the settings. */
export function installService(host: SystemdHost, files: ServiceFiles, isToStart: boolean): string {
  refuseElsewhere(host)
  refusePackaged(host, `start it with "systemctl enable --now ${UNIT}"`)
  if (host.run('getent', ['group', USER]).status !== 0) must(host, 'groupadd', ['--system', USER])
  if (host.run('getent', ['passwd', USER]).status !== 0) {
    const account = ['--system', '--gid', USER, '--home-dir', `/var/lib/${USER}`, '--no-create-home']
    must(host, 'useradd', [...account, '--shell', '/usr/sbin/nologin', '--comment', 'Vedette backend', USER])
  }
  // Otherwise a folder that the user cannot enter would only show as a service that keeps failing.
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

/** Stops the service and removes its unit; data, settings and user stay. False when there is no unit. */
export function uninstallService(host: SystemdHost): boolean {
  refuseElsewhere(host)
  refusePackaged(host, 'remove the package instead')
  const path = join(host.root, ETC, UNIT)
  if (!existsSync(path)) return false
  must(host, 'systemctl', ['disable', '--now', UNIT])
  rmSync(path)
  must(host, 'systemctl', ['daemon-reload'])
  return true
}

/**
 * The settings file of the service, if the unit of this host runs the same program: commands then have the settings of the service.
 * Undefined without such a unit.
 */
export function serviceSettingsFile(root: string, program: readonly string[]): string | undefined {
  const file = /^EnvironmentFile=(\S+)$/m.exec(unitOf(root, program))?.[1]
  return file === undefined ? undefined : join(root, file)
}

/** The user of the service that runs the same program; undefined without such a unit or user. */
export function serviceAccountOf(
  { root, run }: SystemdHost,
  program: readonly string[],
): { uid: number; gid: number } | undefined {
  const name = /^User=(\S+)$/m.exec(unitOf(root, program))?.[1]
  if (name === undefined) return undefined
  const [, , uid, gid] = run('getent', ['passwd', name]).output.split(':')
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/** The text of the unit, if it runs this program; else empty. */
function unitOf(root: string, program: readonly string[]): string {
  const unitFile = findUnit(root)
  const unit = unitFile === undefined ? '' : readFileSync(unitFile, 'utf8')
  const started = /^ExecStart=(?:.* )?(\S+) start$/m.exec(unit)?.[1]
  const isSame = started !== undefined && realPath(join(root, started)) === realPath(program.at(-1) ?? '')
  return isSame ? unit : ''
}

/** The folder that the timer of backups writes to, drop-ins included; undefined where it is not enabled. */
export function backupFolderOf(root: string): string | undefined {
  const isEnabled =
    lstatSync(join(root, ETC, 'timers.target.wants/vedette-backup.timer'), { throwIfNoEntry: false }) !== undefined
  if (!isEnabled) return undefined
  const folders = [...PACKAGED, ETC].map((folder) => join(root, folder))
  const files = folders.flatMap((folder) => [join(folder, BACKUP_UNIT), ...dropIns(join(folder, `${BACKUP_UNIT}.d`))])
  const texts = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'))
  return texts.flatMap((text) => [...text.matchAll(/^ExecStart=.* --to[ =](\S+)/gm)]).at(-1)?.[1]
}

const dropIns = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.conf'))
        .toSorted()
        .map((name) => join(folder, name))
    : []

const findUnit = (root: string): string | undefined =>
  [ETC, ...PACKAGED].map((folder) => join(root, folder, UNIT)).find((path) => existsSync(path))

const realPath = (path: string): string | undefined => (existsSync(path) ? realpathSync(path) : undefined)

/** The state of the service; needs no root. */
export function readService(host: SystemdHost, unit: string): ServiceState {
  refuseWithoutSystemd(host)
  const found = findUnit(host.root)
  const query = (word: string): string => host.run('systemctl', [word, UNIT]).output.trim() || 'unknown'
  return {
    unitFile: found,
    isCurrent: found === join(host.root, ETC, UNIT) ? readFileSync(found, 'utf8') === unit : undefined,
    active: query('is-active'),
    enabled: found === undefined ? 'not-found' : query('is-enabled'),
  }
}

/** The settings may contain secrets: they belong to root and the service can read them. */
function keepSettings(host: SystemdHost, settings: string): void {
  const path = join(host.root, SETTINGS)
  if (existsSync(path)) return
  mkdirSync(join(host.root, 'etc/vedette-backend'), { recursive: true })
  writeFileSync(path, settings, { mode: 0o640 })
  must(host, 'chown', [`root:${USER}`, path])
}

function refuseWithoutSystemd({ root }: SystemdHost): void {
  if (existsSync(join(root, 'run/systemd/system'))) return
  throw new Error(
    'systemd is not running (/run/systemd/system is missing): run "vedette start" with the service manager of this host.',
  )
}

function refuseElsewhere(host: SystemdHost): void {
  refuseWithoutSystemd(host)
  if (!host.isAdmin) throw new Error('Only root can change the services of this host: use sudo.')
}

function refusePackaged({ root }: SystemdHost, instead: string): void {
  if (PACKAGED.some((folder) => existsSync(join(root, folder, UNIT))))
    throw new Error(`${UNIT} belongs to a package: ${instead}.`)
}

function must(host: SystemdHost, program: string, args: readonly string[]): void {
  const { status, output } = host.run(program, args)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${output.trim() || `it ended with ${status}`}`)
}
