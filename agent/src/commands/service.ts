import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from '../config.ts'

/** The host as its administrator sees it. */
export interface ServiceHost {
  /** `/`, or a folder that stands for it. */
  root: string
  platform: NodeJS.Platform
  isAdmin: boolean
  /** Runs a program of the host to its end. */
  run(program: string, args: readonly string[]): { status: number | null; output: string }
}

/** The agent as the service is to call it, and where its units lie. */
export interface ServiceProgram {
  /** Without `run`. */
  words: readonly string[]
  /** A folder; the units in it name the place of install.sh, or `@PROGRAM@`. */
  units: string
  docs: string
}

interface Manager {
  unit: string
  file: string
  mode: number
  user: string
  folders: readonly string[]
  fill(template: string, words: readonly string[]): string
  /** Each a command of the host. */
  written: readonly string[][]
  start: readonly string[][]
  stop: readonly string[][]
  removed: readonly string[][]
}

const NAME = 'vedette-agent'
const UNIT = `${NAME}.service`
/** Where install.sh puts program and docs, as the units of an archive say it. */
const PLACE = /@PROGRAM@|\/opt\/vedette-agent\/current\/bin\/vedette-agent/g
const DOCS = /@DOCS@|\/opt\/vedette-agent\/current\/share\/vedette-agent/g
const PACKAGED = ['usr/lib/systemd/system', 'lib/systemd/system']
const LINUX = { user: 'vedette', folders: ['etc/vedette', 'var/lib/vedette'] } as const
const MAC_FOLDER = 'Library/Application Support/Vedette'
const PLIST = `Library/LaunchDaemons/${NAME}.plist`

const SYSTEMD: Manager = {
  ...LINUX,
  unit: UNIT,
  file: `etc/systemd/system/${UNIT}`,
  mode: 0o644,
  fill: (template, words) => template.replaceAll(PLACE, () => words.join(' ')),
  written: [['systemctl', 'daemon-reload']],
  start: [
    ['systemctl', 'enable', UNIT],
    ['systemctl', 'restart', UNIT],
  ],
  stop: [['systemctl', 'disable', '--now', UNIT]],
  removed: [['systemctl', 'daemon-reload']],
}

const OPENRC: Manager = {
  ...LINUX,
  unit: `${NAME}.openrc`,
  file: `etc/init.d/${NAME}`,
  mode: 0o755,
  fill: (template, [program = '', ...rest]) =>
    template.replaceAll(PLACE, () => program).replace('command_args="run"', () => `command_args="${[...rest, 'run'].join(' ')}"`),
  written: [],
  start: [
    ['rc-update', 'add', NAME, 'default'],
    ['rc-service', NAME, 'restart'],
  ],
  stop: [
    ['rc-service', NAME, 'stop'],
    ['rc-update', 'del', NAME],
  ],
  removed: [],
}

const LAUNCHD: Manager = {
  user: '_vedette',
  folders: [MAC_FOLDER, `${MAC_FOLDER}/state`],
  unit: `${NAME}.plist`,
  file: PLIST,
  mode: 0o644,
  fill: (template, words) => template.replaceAll(PLACE, () => words.join('</string>\n\t\t<string>')),
  written: [],
  start: [['launchctl', 'bootstrap', 'system', `/${PLIST}`]],
  stop: [['launchctl', 'bootout', `system/${NAME}`]],
  removed: [],
}

/** The unit as it would be written, and where. Throws where no manager of services is known. */
export function planService(host: ServiceHost, program: ServiceProgram): { path: string; unit: string } {
  const manager = managerOf(host)
  for (const word of program.words) checkWord(word)
  const template = readFileSync(join(program.units, manager.unit), 'utf8')
  const unit = manager.fill(template, program.words).replaceAll(DOCS, () => program.docs)
  return { path: join(host.root, manager.file), unit }
}

/**
 * Makes the user, gives it config and state, writes the unit, and starts it where the host is registered (which is the answer). Done
 * again, it brings the unit up to date.
 */
export function installService(
  host: ServiceHost,
  program: ServiceProgram,
  isToStart: boolean,
): { path: string; isStarted: boolean } {
  refuseOthers(host)
  const manager = managerOf(host)
  refusePackaged(host, `start it by "systemctl enable --now ${UNIT}"`)
  const { path, unit } = planService(host, program)
  const state = join(host.root, manager.folders.at(-1) ?? '')
  // The default of a backend that runs as root is the same folder. Its secret may come by its environment instead.
  if (['secret.key', 'postgres.passwords.json'].some((name) => existsSync(join(state, name))))
    throw new Error(`a backend keeps its data in ${state}: move that elsewhere first`)
  makeUser(host, manager.user)
  // A folder that the user may not enter would show only as a service that fails again and again.
  if (host.platform === 'linux') must(host, ['runuser', '-u', manager.user, '--', ...program.words, 'version'])
  for (const folder of manager.folders.map((name) => join(host.root, name))) {
    mkdirSync(folder, { recursive: true })
    must(host, ['chown', '-R', manager.user, folder])
    chmodSync(folder, 0o700)
  }
  const wasThere = existsSync(path)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, unit)
  chmodSync(path, manager.mode)
  for (const command of manager.written) must(host, command)
  const isStarted = isToStart && existsSync(join(state, 'identity.json'))
  // What launchd has loaded it does not load anew.
  if (isStarted && wasThere && manager === LAUNCHD) for (const [name = '', ...args] of manager.stop) host.run(name, args)
  if (isStarted) for (const command of manager.start) must(host, command)
  return { path, isStarted }
}

/** Stops the service and removes its unit; config, state and user stay. False where there is no such unit. */
export function uninstallService(host: ServiceHost): boolean {
  refuseOthers(host)
  const manager = managerOf(host)
  refusePackaged(host, 'its package manager removes it')
  const path = join(host.root, manager.file)
  if (!existsSync(path)) return false
  // One that does not run is no fault; one that cannot be stopped shows in what the next command says.
  for (const [name = '', ...args] of manager.stop) host.run(name, args)
  rmSync(path)
  for (const command of manager.removed) must(host, command)
  return true
}

function managerOf({ platform, root }: ServiceHost): Manager {
  if (platform === 'darwin') return LAUNCHD
  if (platform === 'linux' && existsSync(join(root, 'run/systemd/system'))) return SYSTEMD
  if (platform === 'linux' && existsSync(join(root, 'run/openrc'))) return OPENRC
  if (platform === 'win32') throw new Error('on Windows the set-up makes the task that starts the agent: see docs/install.md')
  throw new Error('neither systemd nor OpenRC runs here: let what starts services here run "vedette-agent run"')
}

/** What systemd and OpenRC take as it stands; and the unit has a /tmp of its own. */
function checkWord(word: string): void {
  if (!/^[\w./=+@:-]+$/.test(word)) throw new ConfigError([`a unit cannot name ${JSON.stringify(word)}: put the agent elsewhere`])
  if (/^\/(?:var\/)?tmp\//.test(word)) throw new ConfigError([`the service does not see ${word}: put the agent below /opt`])
}

function makeUser(host: ServiceHost, user: string): void {
  if (host.platform === 'darwin') {
    if (host.run('id', [user]).status !== 0) throw new Error(`there is no user ${user}; install.sh makes it`)
    return
  }
  if (host.run('getent', ['group', user]).status !== 0) must(host, ['groupadd', '--system', user])
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
  must(host, ['useradd', ...account, '--comment', 'Vedette agent', user])
}

function refuseOthers({ isAdmin, platform }: ServiceHost): void {
  if (!isAdmin && platform !== 'win32') throw new Error('only root may change the services of this host: call it by sudo')
}

function refusePackaged({ root }: ServiceHost, instead: string): void {
  if (PACKAGED.some((folder) => existsSync(join(root, folder, UNIT))))
    throw new Error(`a package has brought ${UNIT} to this host: ${instead}`)
}

function must(host: ServiceHost, [program = '', ...args]: readonly string[]): void {
  const { status, output } = host.run(program, args)
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${output.trim() || `it ended with ${status}`}`)
}
