// A Debian in a folder, as a host to install on.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const DIST = resolve(import.meta.dirname, '../../dist')

export interface Host {
  root: string
  /** Runs a command of the shell in it; standard output and error together. */
  inside(command: string): { status: number | null; output: string }
  /** Runs a program in it until `stop`, which waits for its end. */
  start(command: string): { stop(): Promise<void> }
  remove(): void
}

/** The mirror of this machine's apt; debootstrap has a default. */
function mirror(): string[] {
  const folder = '/etc/apt/sources.list.d'
  const names = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
  const text = ['/etc/apt/sources.list', ...names].filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'))
  const found = /^(?:URIs: *|deb (?:\[.*?\] )?)(https?:\S+\/debian)\/?(?:\s|$)/m.exec(text.join('\n'))?.[1]
  return found === undefined ? [] : [found]
}

/** A tar of a Debian with nothing but what is required, libstdc++ and `more` packages. That of an earlier run is used where only root can have made it. */
export function debianTarball(suite: string, more: readonly string[] = []): string {
  const tarball = join(tmpdir(), `vedette-debootstrap-${[suite, ...more].join('-')}.tar`)
  const stat = lstatSync(tarball, { throwIfNoEntry: false })
  if (!(stat?.isFile() && stat.uid === 0 && (stat.mode & 0o022) === 0)) {
    const made = mkdtempSync(join(tmpdir(), 'debootstrap-'))
    execFileSync(
      'debootstrap',
      ['--variant=minbase', `--include=${['libstdc++6', ...more].join(',')}`, suite, join(made, 'root'), ...mirror()],
      {
        stdio: 'ignore',
      },
    )
    execFileSync('tar', ['-C', join(made, 'root'), '-cpf', join(made, 'tar'), '.'])
    renameSync(join(made, 'tar'), tarball)
    rmSync(made, { recursive: true })
  }
  return tarball
}

export function makeHost(suite: 'bullseye' | 'bookworm', more: readonly string[] = []): Host {
  const root = mkdtempSync(join(tmpdir(), `vedette-${suite}-`))
  execFileSync('tar', ['-C', root, '-xpf', debianTarball(suite, more)])
  // Other users than root live there too.
  chmodSync(root, 0o755)
  execFileSync('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
  const env = {
    PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    DEBIAN_FRONTEND: 'noninteractive',
    LC_ALL: 'C',
  }
  return {
    root,
    inside(command) {
      const { status, stdout, stderr } = spawnSync('chroot', [root, 'sh', '-c', command], { encoding: 'utf8', env })
      return { status, output: stdout + stderr }
    },
    start(command) {
      const child = spawn('chroot', [root, 'sh', '-c', `exec ${command}`], { env, stdio: 'ignore' })
      const ended = new Promise<void>((done) => child.once('exit', () => done()))
      return {
        stop: async () => {
          child.kill('SIGTERM')
          await ended
        },
      }
    },
    remove() {
      execFileSync('umount', ['-l', join(root, 'proc')])
      rmSync(root, { recursive: true })
    },
  }
}

/** The agent's archive of the release, unpacked below /opt of a host; where its program is. */
export function unpackAgent(host: Host, version: string): string {
  const name = `vedette-agent-${version}-linux-x64`
  mkdirSync(join(host.root, 'opt'), { recursive: true })
  execFileSync('tar', ['-C', join(host.root, 'opt'), '-xf', join(DIST, `${name}.tar.xz`)])
  return `/opt/${name}/bin/vedette-agent`
}
