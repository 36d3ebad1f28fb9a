import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from '../config/config.ts'

/** The host on which the service is installed. */
export interface ServiceHost {
  /** `/`, or in tests a folder in its place. */
  root: string
  platform: NodeJS.Platform
  isAdmin: boolean
  /** Runs a program of the host to its end. */
  run(program: string, args: readonly string[]): { status: number | null; output: string }
}

/** How the service starts the agent, and where its unit templates are. */
export interface ServiceProgram {
  /** Without `run`. */
  command: readonly string[]
  /** Folder of the unit templates; they contain the path of install.sh, or `@PROGRAM@`. */
  units: string
  docs: string
}

interface Manager {
  unit: string
  file: string
  mode: number
  user: string
  folders: readonly string[]
  render(template: string, command: readonly string[]): string
  /** Commands of the host. */
  afterWrite: readonly string[][]
  start: readonly string[][]
  stop: readonly string[][]
  afterRemove: readonly string[][]
}

const NAME = 'vedette-agent'
const UNIT = `${NAME}.service`
/** The templates of an archive contain the paths of install.sh. */
const PROGRAM_PLACEHOLDER = /@PROGRAM@|\/opt\/vedette-agent\/current\/bin\/vedette-agent/g
const DOCS_PLACEHOLDER = /@DOCS@|\/opt\/vedette-agent\/current\/share\/vedette-agent/g
/** Of install.sh: files of the timer that updates the agent. */
const UPDATE_TIMER = `${NAME}-update.timer`
const UPDATE_FILES = [UPDATE_TIMER, `${NAME}-update.service`].map((name) => `etc/systemd/system/${name}`)
/** Where install.sh installs, and the record that it leaves there. */
const SCRIPT_FOLDER = `opt/${NAME}`
const PACKAGE_UNIT_FOLDERS = ['usr/lib/systemd/system', 'lib/systemd/system']
const LINUX = { user: 'vedette', folders: ['etc/vedette', 'var/lib/vedette'] } as const
const MAC_FOLDER = 'Library/Application Support/Vedette'
const PLIST = `Library/LaunchDaemons/${NAME}.plist`

const SYSTEMD: Manager = {
  ...LINUX,
  unit: UNIT,
  file: `etc/systemd/system/${UNIT}`,
  mode: 0o644,
  render: (template, command) => template.replaceAll(PROGRAM_PLACEHOLDER, () => command.join(' ')),
  afterWrite: [['systemctl', 'daemon-reload']],
  start: [
    ['systemctl', 'enable', UNIT],
    ['systemctl', 'restart', UNIT],
  ],
  stop: [['systemctl', 'disable', '--now', UNIT]],
  afterRemove: [['systemctl', 'daemon-reload']],
}

const OPENRC: Manager = {
  ...LINUX,
  unit: `${NAME}.openrc`,
  file: `etc/init.d/${NAME}`,
  mode: 0o755,
  render: (template, [program = '', ...rest]) =>
    template
      .replaceAll(PROGRAM_PLACEHOLDER, () => program)
      .replace('command_args="run"', () => `command_args="${[...rest, 'run'].join(' ')}"`),
  afterWrite: [],
  start: [
    ['rc-update', 'add', NAME, 'default'],
    ['rc-service', NAME, 'restart'],
  ],
  stop: [
    ['rc-service', NAME, 'stop'],
    ['rc-update', 'del', NAME],
  ],
  afterRemove: [],
}

const LAUNCHD: Manager = {
  user: '_vedette',
  folders: [MAC_FOLDER, `${MAC_FOLDER}/state`],
  unit: `${NAME}.plist`,
  file: PLIST,
  mode: 0o644,
  render: (template, command) => template.replaceAll(PROGRAM_PLACEHOLDER, () => command.join('</string>\n\t\t<string>')),
  afterWrite: [],
  start: [['launchctl', 'bootstrap', 'system', `/${PLIST}`]],
  stop: [['launchctl', 'bootout', `system/${NAME}`]],
  afterRemove: [],
}

/** The unit file and its path. Throws without a supported service manager. */
export function planService(host: ServiceHost, program: ServiceProgram): { path: string; unit: string } {
  const manager = managerOf(host)
  for (const argument of program.command) validateArgument(argument)
  const template = readFileSync(join(program.units, manager.unit), 'utf8')
  const unit = manager.render(template, program.command).replaceAll(DOCS_PLACEHOLDER, () => program.docs)
  return { path: join(host.root, manager.file), unit }
}

/**
 * Creates the user, makes it the owner of config and state, writes the unit, and starts the service if the host is registered.
 * Repeating it updates the unit.
 */
export function installService(
  host: ServiceHost,
  program: ServiceProgram,
  shouldStart: boolean,
): { path: string; isStarted: boolean } {
  requireRoot(host)
  const manager = managerOf(host)
  refuseIfPackaged(host, `start it with "systemctl enable --now ${UNIT}"`)
  refuseIfScripted(host, program.command)
  const { path, unit } = planService(host, program)
  const state = join(host.root, manager.folders.at(-1) ?? '')
  // A backend that runs as root uses the same folder by default. Its secret may come from the environment instead of secret.key.
  if (['secret.key', 'postgres.passwords.json'].some((name) => existsSync(join(state, name))))
    throw new Error(`a Vedette backend stores its data in ${state}: move that elsewhere first`)
  createUser(host, manager.user)
  // Fails here if the user cannot enter the folder of the program; otherwise the service would fail repeatedly.
  if (host.platform === 'linux') runOrThrow(host, ['runuser', '-u', manager.user, '--', ...program.command, 'version'])
  for (const folder of manager.folders.map((name) => join(host.root, name))) {
    mkdirSync(folder, { recursive: true })
    // What is the user's already stays as it is: in a folder of their own they could plant names of other files.
    if (lstatSync(folder).uid !== process.getuid?.()) continue
    chmodSync(folder, 0o700)
    runOrThrow(host, ['chown', '-R', manager.user, folder])
  }
  const existed = existsSync(path)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, unit)
  chmodSync(path, manager.mode)
  for (const command of manager.afterWrite) runOrThrow(host, command)
  const isStarted = shouldStart && existsSync(join(state, 'identity.json'))
  if (isStarted && existed && manager === LAUNCHD) endLaunchdService(host)
  if (isStarted) for (const command of manager.start) runOrThrow(host, command)
  return { path, isStarted }
}

/** launchd does not reload a loaded service. `bootout` returns before the service has ended (ExitTimeOut: 5 s), and `bootstrap` fails until then. */
function endLaunchdService(host: ServiceHost): void {
  for (const [name = '', ...args] of LAUNCHD.stop) host.run(name, args)
  for (let tries = 0; tries < 15 && host.run('launchctl', ['print', `system/${NAME}`]).status === 0; tries += 1)
    host.run('sleep', ['1'])
}

/** Stops the service and removes its unit; config, state and user stay. False if there is no unit. */
export function uninstallService(host: ServiceHost): boolean {
  requireRoot(host)
  const manager = managerOf(host)
  refuseIfPackaged(host, 'remove it with the package manager')
  const path = join(host.root, manager.file)
  if (!existsSync(path)) return false
  // Stopping may fail because the service does not run; a real failure shows in the next command.
  for (const [name = '', ...args] of manager.stop) host.run(name, args)
  rmSync(path)
  const updates = UPDATE_FILES.map((name) => join(host.root, name)).filter((file) => existsSync(file))
  if (updates.length > 0) host.run('systemctl', ['disable', '--now', UPDATE_TIMER])
  for (const file of updates) rmSync(file)
  for (const command of manager.afterRemove) runOrThrow(host, command)
  return true
}

function managerOf({ platform, root }: ServiceHost): Manager {
  if (platform === 'darwin') return LAUNCHD
  if (platform === 'linux' && existsSync(join(root, 'run/systemd/system'))) return SYSTEMD
  if (platform === 'linux' && existsSync(join(root, 'run/openrc'))) return OPENRC
  if (platform === 'win32')
    throw new Error('on Windows the setup program creates the task that starts the agent: see docs/install.md')
  throw new Error('neither systemd nor OpenRC runs here: start "vedette-agent run" with your service manager')
}

/** Accepts only characters that units need not quote, and no path in /tmp, which the service does not see. */
function validateArgument(argument: string): void {
  if (!/^[\w./=+@:-]+$/.test(argument))
    throw new ConfigError([`a unit cannot name ${JSON.stringify(argument)}: move the agent to another path`])
  if (/^\/(?:var\/)?tmp\//.test(argument))
    throw new ConfigError([`the service cannot see ${argument}: move the agent below /opt`])
}

function createUser(host: ServiceHost, user: string): void {
  if (host.platform === 'darwin') {
    if (host.run('id', [user]).status !== 0) throw new Error(`the user ${user} does not exist; install.sh creates it`)
    return
  }
  if (host.run('getent', ['group', user]).status !== 0) runOrThrow(host, ['groupadd', '--system', user])
  if (host.run('getent', ['passwd', user]).status === 0) return
  const account = [
    '--system',
    '--gid',
    user,
    '--home-dir',
    '/var/lib/vedette',
    '--no-create-home',
    '--shell',
    '/usr/sbin/nologin',
  ]
  runOrThrow(host, ['useradd', ...account, '--comment', 'Vedette agent', user])
}

function requireRoot({ isAdmin, platform }: ServiceHost): void {
  if (!isAdmin && platform !== 'win32') throw new Error('only root can change services: run it with sudo')
}

function refuseIfPackaged({ root }: ServiceHost, instead: string): void {
  if (PACKAGE_UNIT_FOLDERS.some((folder) => existsSync(join(root, folder, UNIT))))
    throw new Error(`${UNIT} belongs to an installed package: ${instead}`)
}

/** One agent on a host: the unit of install.sh would start this program, while its updates replace the other one. */
function refuseIfScripted({ root }: ServiceHost, [program = '']: readonly string[]): void {
  if (!existsSync(join(root, SCRIPT_FOLDER, 'install.json')) || program.startsWith(`/${SCRIPT_FOLDER}/`)) return
  throw new Error(`install.sh installed an agent in /${SCRIPT_FOLDER}: remove that one first, with install.sh --uninstall`)
}

function runOrThrow(host: ServiceHost, [program = '', ...args]: readonly string[]): void {
  const { status, output } = host.run(program, args)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${output.trim() || `exit code ${status}`}`)
}
