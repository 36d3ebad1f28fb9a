// `npm run build:images`: makes the images of agent, backend and probe from the archives that `npm run build:installers` built.
import { spawnSync } from 'node:child_process'
import { createReadStream, createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { arch, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { createGzip } from 'node:zlib'

const HELP = `npm run build:images -- [options]

  --dist FOLDER    folder of the archives, and of the images that are written (installers/dist)
  --base FILE      a tar of a Debian 12 in place of the image debian:12-slim of a registry
  --push PREFIX    push to PREFIX/vedette-agent:VERSION, PREFIX/vedette:VERSION and PREFIX/vedette-probe:VERSION
`

const IMAGES = [
  { name: 'vedette-agent', archive: 'vedette-agent', containerfile: 'share/vedette-agent/Containerfile' },
  { name: 'vedette', archive: 'vedette', containerfile: 'share/Containerfile' },
  { name: 'vedette-probe', archive: 'vedette', containerfile: 'share/Containerfile.probe' },
]

const root = resolve(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: join(root, 'installers/dist') },
    base: { type: 'string' },
    push: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
})

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  if (error) throw new Error(`${program} cannot be started: install the package ${program}`, { cause: error })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}`)
}

const print = (text: string): void => void process.stdout.write(text)

async function main(): Promise<void> {
  if (values.help) return print(HELP)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const work = mkdtempSync(join(tmpdir(), 'vedette-images-'))
  // Storage of its own, and no user namespace: it works for root in a container too, and leaves nothing.
  const storage = ['--root', join(work, 'storage'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs']
  const buildah = (...args: string[]) => run('buildah', [...storage, ...args])
  try {
    if (values.base !== undefined) {
      buildah('from', '--name', 'base', 'scratch')
      buildah('add', '--quiet', 'base', resolve(values.base), '/')
      buildah('commit', '--quiet', 'base', 'docker.io/library/debian:12-slim')
    }
    for (const { name, archive, containerfile } of IMAGES) {
      const folder = `${archive}-${version}-linux-${arch()}`
      const packed = join(values.dist, `${folder}.tar.xz`)
      if (!existsSync(packed)) throw new Error(`${packed} is missing: npm run build:installers builds it`)
      run('tar', ['-C', work, '-xf', packed])
      const context = join(work, folder)
      const image = `localhost/${name}:${version}`
      const build = ['build', '--quiet', '--isolation', 'chroot', '--format', 'docker']
      buildah(
        ...build,
        ...(values.base === undefined ? [] : ['--pull=never']),
        '-f',
        join(context, containerfile),
        '-t',
        image,
        context,
      )
      const file = join(values.dist, `${name}-image-${version}-linux-${arch()}.tar`)
      rmSync(file, { force: true })
      buildah('push', '--quiet', image, `docker-archive:${file}:${name}:${version}`)
      await pipeline(createReadStream(file), createGzip({ level: 9 }), createWriteStream(`${file}.gz`))
      rmSync(file)
      print(`${file}.gz ${(statSync(`${file}.gz`).size / 1e6).toFixed(1)} MB\n`)
      if (values.push !== undefined) buildah('push', '--format', 'v2s2', image, `docker://${values.push}/${name}:${version}`)
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
